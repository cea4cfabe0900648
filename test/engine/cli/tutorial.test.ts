import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { cleanEnvironment } from "../../support/cli.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const state = mkdtempSync(join(tmpdir(), "tutorial-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** One day instead of seven: the commands are what is tested. */
const env = { ...cleanEnvironment(), EVENT_PIPELINE_STATE: state, DAYS: "1", RATE: "2" };

/** Code blocks of the tutorial up to the steps that need Docker. */
const blocks = (() => {
  const text = readFileSync(join(ROOT, "docs/tutorial/first-hour.md"), "utf8");
  const [embedded = ""] = text.split("## 4.");
  const found = embedded.matchAll(/```(sh|sql)\n(.*?)```/gs);
  return [...found].map(([, language = "", code = ""]) => ({ language, code: code.trim() }));
})();

const SERVER = "make play";

/** Ends the whole group: make does not pass the signal on. */
async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn("sh", ["-c", SERVER], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /http:\S+/.exec(line)?.[0];
      if (url) return await work(url);
    }
    throw new Error(`${SERVER} printed no address`);
  } finally {
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGINT");
    await ended;
  }
}

test("every command and query of the tutorial works, as far as none needs Docker", async () => {
  const server = blocks.findIndex(({ code }) => code === SERVER);
  const run = async (url: string | null, { language, code }: (typeof blocks)[number]) => {
    if (language === "sql") {
      const answer = await fetch(url ?? "", { method: "POST", body: `${code} FORMAT TSV` });
      const text = await answer.text();
      expect(answer.status, text).toBe(200);
      expect(text.split("\n").length, code).toBeGreaterThan(1);
      return;
    }
    const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", code], {
      cwd: ROOT,
      env,
      encoding: "utf8",
    });
    expect(status, `${code}\n${stdout}\n${stderr}`).toBe(0);
  };
  expect(blocks.length).toBeGreaterThan(5);
  for (const block of blocks.slice(0, server)) await run(null, block);
  await withServer(async (url) => {
    for (const block of blocks.slice(server + 1)) await run(url, block);
  });
});
