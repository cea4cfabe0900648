/** Runs the code blocks of a page of the docs as a reader would. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";

export const ROOT = join(import.meta.dirname, "../..");

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Block {
  readonly language: string;
  readonly code: string;
}

/** Code blocks but those behind a comment `by name: …`, which cannot run in a test. */
export const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/(<!-- by name: [^\n]*\n)?```(\w+)\n(.*?)```/gs)]
    .filter(([, mark]) => mark === undefined)
    .map(([, , language = "", code = ""]) => ({ language, code: code.trim() }));

const SERVER = "make play";
/** Address of the server in pages; another one if the port is taken. */
const ADDRESS = "http://127.0.0.1:9133";

/** Runs the blocks in order; those after `make play` while its server is up. */
export async function runBlocks(blocks: readonly Block[], env: Environment): Promise<void> {
  const at = blocks.findIndex(({ code }) => code === SERVER);
  for (const block of at < 0 ? blocks : blocks.slice(0, at)) await run(block, ADDRESS, env);
  if (at < 0) return;
  await withServer(env, async (url) => {
    for (const block of blocks.slice(at + 1)) await run(block, url, env);
  });
}

async function run({ language, code }: Block, url: string, env: Environment): Promise<void> {
  if (language === "sql") {
    const answer = await fetch(url, { method: "POST", body: `${code} FORMAT TSV` });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(text.split("\n").length, code).toBeGreaterThan(1);
    return;
  }
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-e", "-c", code.replaceAll(`${ADDRESS}/`, `${url}/`).replaceAll(`${ADDRESS} `, `${url} `)],
    { cwd: ROOT, env, encoding: "utf8" },
  );
  expect(status, `${code}\n${stdout}\n${stderr}`).toBe(0);
}

/** Ends the whole group: make does not pass the signal on. */
async function withServer(env: Environment, work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn("sh", ["-c", SERVER], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /http:[^\s/]*\/\/[^\s/;]+/.exec(line)?.[0];
      if (url) return await work(url);
    }
    throw new Error(`${SERVER} printed no address`);
  } finally {
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGINT");
    await ended;
  }
}
