// Checks Node and the dependencies before a program starts. CommonJS in old JavaScript, without
// node: names, because old versions of Node must be able to run the check.
const { existsSync } = require("fs");
const { registerHooks } = require("module");
const { join } = require("path");

function refuse(problem, hint) {
  process.stderr.write(`error: ${problem}\n  hint: ${hint}\n`);
  process.exit(1);
}

// npm writes this file last, so an interrupted installation lacks it.
if (!existsSync(join(__dirname, "../node_modules/.package-lock.json"))) {
  refuse("The dependencies are not installed.", "run npm ci, then retry");
}

// Node 22.18, 23.6 and newer have both features.
if (!registerHooks || !process.features.typescript) {
  refuse(
    `Node ${process.versions.node} is too old for this program. Required: 22.18, 23.6 or newer.`,
    "run npm ci, then start the program with make, npm run or npx --no-install pulumi, which use the installed Node 24",
  );
}
