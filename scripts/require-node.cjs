// Loaded before the program, by --require and as CommonJS, which every Node takes: it has to run where
// the program cannot. Plain JavaScript of any age, and no node: before the names.
const { registerHooks } = require("module");

// What the program is written for: 22.18, 23.6 and all newer ones have both.
if (!registerHooks || !process.features.typescript) {
  process.stderr.write(
    `error: Node ${process.versions.node} cannot run this program; it needs 22.18 (of 23: 23.6) or newer.\n` +
      "  next: npm ci, then make up (it brings its own Node), or npx --no-install pulumi up\n",
  );
  process.exit(1);
}
