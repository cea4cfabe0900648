/**
 * Records a command in a terminal as an animated SVG: node scripts/record-terminal.ts [--command "make demo"]
 * [--file docs/images/demo.svg]. Requires `script` of util-linux. Installs svg-term into
 * `.state/terminal`, because nothing else in the project uses it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HOME = join(import.meta.dirname, "../.state/terminal");
/** Version of svg-term; 2.x does not declare all dependencies. */
const RENDERER = "svg-term@1.3.1";
const SIZE = { width: 96, height: 30 };
/** Length of a frame, whose output appears at once, and limits of pauses, seconds. */
const FRAME = 0.1;
const MAX_PAUSE = 0.2;
const LAST_PAUSE = 5;

type Render = (cast: string, options: { readonly window: boolean }) => string;

function renderer(): Render {
  if (!existsSync(join(HOME, "node_modules/svg-term"))) {
    mkdirSync(HOME, { recursive: true });
    writeFileSync(join(HOME, "package.json"), JSON.stringify({ private: true }));
    const options = ["--save-exact", "--no-audit", "--no-fund", RENDERER];
    execFileSync("npm", ["install", ...options], { cwd: HOME, stdio: "inherit" });
  }
  return createRequire(join(HOME, "package.json"))("svg-term").render;
}

interface Output {
  readonly after: number;
  readonly text: string;
}

function record(command: string): Output[] {
  const [log, timing] = [join(HOME, "output"), join(HOME, "timing")];
  const sized = `stty cols ${SIZE.width} rows ${SIZE.height}; ${command}`;
  const files = ["--log-out", log, "--log-timing", timing];
  execFileSync("script", ["--quiet", "--return", ...files, "--command", sized], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  // The first line of the log is a header.
  const bytes = readFileSync(log);
  let at = bytes.indexOf("\n") + 1;
  const lines = readFileSync(timing, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [after = 0, length = 0] = line.split(" ").map(Number);
    at += length;
    return { after, text: bytes.toString("utf8", at - length, at) };
  });
}

function castOf(command: string, outputs: readonly Output[]): string {
  const events: [number, "o", string][] = [[0, "o", `$ ${command}\r\n`]];
  let time = 1;
  let shown = 0;
  for (const { after, text } of outputs) {
    time += Math.min(after, MAX_PAUSE);
    const last = events.at(-1);
    if (last && last[0] > 0 && time - shown < FRAME) last[2] += text;
    else {
      events.push([time, "o", text]);
      shown = time;
    }
  }
  events.push([time + LAST_PAUSE, "o", ""]);
  return [{ version: 2, ...SIZE }, ...events].map((line) => JSON.stringify(line)).join("\n");
}

const { values } = parseArgs({
  options: {
    command: { type: "string", default: "make demo" },
    file: { type: "string", default: join(import.meta.dirname, "../docs/images/demo.svg") },
  },
});
const render = renderer();
writeFileSync(
  values.file,
  render(castOf(values.command, record(values.command)), { window: true }),
);
