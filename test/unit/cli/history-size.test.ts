import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { pipelineAsync } from "../../support/cli.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A generator that allows at most a million page events, unless the request allows more. */
async function fakeGenerator() {
  const asked: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const wanted = JSON.parse(body) as Record<string, unknown>;
    asked.push(wanted);
    const decision = wanted.max_events
      ? { action: "run", steps: ["backfill"], reason: "history" }
      : { action: "refuse", reason: "It is large", hint: "allow it", maxEvents: 2_000_000 };
    const isDry = wanted.operation === "dry_run";
    const answer = isDry ? { ...wanted, decision } : { ...wanted, reason: decision.reason };
    response.writeHead(200).end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const env = { GENERATOR_URL: `http://127.0.0.1:${port}`, CONTROL_TOKEN: "token", YES: undefined };
  return { asked, env };
}

const dry = { operation: "dry_run", of: "backfill", t_end: "now" };

test("a large history is refused without an answer, and nothing is started", async () => {
  const { asked, env } = await fakeGenerator();
  const { status, stderr } = await pipelineAsync(["generator", "backfill", "--t-end", "now"], env);
  expect(status).toBe(1);
  expect(stderr).toBe("error: It is large\n  hint: allow it\n");
  expect(asked).toEqual([dry]);
});

test.each([
  ["YES=1", { YES: "1" }, [], 2_000_000],
  ["--max-events", {}, ["--max-events", "5000000"], 5_000_000],
])("%s agrees to it", async (_, given, words, limit) => {
  const { asked, env } = await fakeGenerator();
  const command = ["generator", "backfill", "--t-end", "now", ...words];
  const { status, stdout, stderr } = await pipelineAsync(command, { ...env, ...given });
  expect(status, stderr).toBe(0);
  expect(stdout).toBe("backfill: history\n");
  expect(asked.at(-1)).toEqual({ operation: "backfill", t_end: "now", max_events: limit });
});
