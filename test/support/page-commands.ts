/** Runner of the code blocks of a docs page. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { type Block, ROOT } from "./page-blocks.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const SERVER = "make play";
/** Server address in the pages, replaced if the port is in use. */
const ADDRESS = "http://127.0.0.1:9133";

interface Server {
  readonly url: string;
  /** Password of the user `reader`. */
  readonly password: string;
}

/**
 * Runs the blocks in order; blocks after `make play` run while the server is running. A block `text` is output that the
 * block before it must print.
 */
export async function runBlocks(blocks: readonly Block[], env: Environment): Promise<void> {
  const at = blocks.findIndex(({ code }) => code === SERVER);
  const none = { url: ADDRESS, password: "" };
  await runAll(at < 0 ? blocks : blocks.slice(0, at), none, env);
  if (at < 0) return;
  await withServer(env, (server) => runAll(blocks.slice(at + 1), server, env));
}

async function runAll(blocks: readonly Block[], server: Server, env: Environment): Promise<void> {
  let printed = "";
  for (const block of blocks) {
    if (block.language === "text") expect(printed).toContain(block.code);
    else printed = await run(block, server, env);
  }
}

/** Returns the output. */
async function run(
  { language, code }: Block,
  { url, password }: Server,
  env: Environment,
): Promise<string> {
  if (language === "sql") {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "X-ClickHouse-User": "reader", "X-ClickHouse-Key": password },
      body: `${code} FORMAT TSV`,
    });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(text.split("\n").length, code).toBeGreaterThan(1);
    return text;
  }
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-e", "-c", code.replaceAll(`${ADDRESS}/`, `${url}/`).replaceAll(`${ADDRESS} `, `${url} `)],
    { cwd: ROOT, env, encoding: "utf8" },
  );
  expect(status, `${code}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** Runs `work` with a server; ends the process group, because make does not forward signals. */
async function withServer(
  env: Environment,
  work: (server: Server) => Promise<void>,
): Promise<void> {
  const child = spawn("sh", ["-c", SERVER], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface(child.stdout)) {
      const [, url, password] = /(http:\S+)\/play\?password=(\w+)/.exec(line) ?? [];
      if (url && password) return await work({ url, password });
    }
    throw new Error(`${SERVER} printed no address`);
  } finally {
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGINT");
    await ended;
  }
}
