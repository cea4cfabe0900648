// Loaded before the program, by --require and as CommonJS, which every Node takes: it has to run where
// the program cannot. Plain JavaScript of any age, and no node: before the names.
const { registerHooks } = require("module");
const { join } = require("path");
const { pathToFileURL } = require("url");

// What the program is written for: 22.18, 23.6 and all newer ones have both.
if (!registerHooks || !process.features.typescript) {
  process.stderr.write(
    `error: Node ${process.versions.node} cannot run this program; it needs 22.18 (of 23: 23.6) or newer.\n` +
      "  next: npm ci, then make up (it brings its own Node), or npx --no-install pulumi up\n",
  );
  process.exit(1);
}

// Node runs the program as it is written: the SDK's search for source maps, which this shuts out, takes
// 0.3 s of each run and finds none.
Object.defineProperty(Error, "prepareStackTrace", { get: () => undefined, set: () => undefined });

// The SDK notes the stack at each of its thousands of promises, for leaks that only this variable shows:
// 0.6 s of each run of the whole stack.
if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) Error.stackTraceLimit = 0;

// Nor does the program hand functions to the cloud: the compiler, the package manager and the debugger's
// session that the SDK loads for that are left out, 0.3 to 0.5 s of each run.
const notNeeded = new Set([
  "typescript",
  "@npmcli/arborist",
  "./v8Hooks",
  "../../runtime/closure/v8Hooks",
]);
const notNeededUrl = pathToFileURL(join(__dirname, "not-needed.cjs")).href;
registerHooks({
  resolve(name, context, next) {
    const isSdk = context.parentURL !== undefined && context.parentURL.includes("/@pulumi/pulumi/");
    return isSdk && notNeeded.has(name)
      ? { url: notNeededUrl, shortCircuit: true }
      : next(name, context);
  },
});
