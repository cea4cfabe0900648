// Loaded before a program, by --require and as CommonJS, which every Node takes: it has to run where
// the program cannot. Plain JavaScript of any age, and no node: before the names.
const { existsSync } = require("fs");
const { registerHooks } = require("module");
const { join } = require("path");

function refuse(problem, hint) {
  process.stderr.write(`error: ${problem}\n  hint: ${hint}\n`);
  process.exit(1);
}

// npm writes this file last: an interrupted installation has none.
if (!existsSync(join(__dirname, "../node_modules/.package-lock.json"))) {
  refuse("The dependencies are not installed.", "npm ci, then the same command");
}

// What the programs are written for: 22.18, 23.6 and all newer ones have both.
if (!registerHooks || !process.features.typescript) {
  refuse(
    `Node ${process.versions.node} cannot run this program; it needs 22.18 (of 23: 23.6) or newer.`,
    "npm ci, then make, npm run or npx --no-install pulumi: they use the Node that it installs",
  );
}
