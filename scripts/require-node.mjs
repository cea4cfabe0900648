// Loaded before the program. Plain JavaScript of any age: it has to run where the program cannot.
const required = [22, 18];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < required[0] || (major === required[0] && minor < required[1])) {
  process.stderr.write(
    `error: Node ${process.versions.node} cannot run this program; it needs ${required.join(".")} or newer.\n` +
      "  next: npm ci, then make up (it brings its own Node), or npx --no-install pulumi up\n",
  );
  process.exit(1);
}
