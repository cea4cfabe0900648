import { expect, test } from "vitest";
import { pipelineAsync } from "../../support/cli.ts";
import { serveHttp } from "../../support/http.ts";

/** A generator with these answers, in order; the last repeats. @returns its requests */
async function fakeGenerator(...answers: readonly object[]) {
  const asked: unknown[] = [];
  const url = await serveHttp(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(body && JSON.parse(body));
    response.end(JSON.stringify(answer));
  });
  return { asked, env: { GENERATOR_URL: url, CONTROL_TOKEN: "token" } };
}

test("--max-events is the limit of a request, which is sent once", async () => {
  const { asked, env } = await fakeGenerator({ operation: "backfill", reason: "history" });
  const command = ["generator", "backfill", "--t-end", "now", "--max-events", "5000000"];
  expect(await pipelineAsync(command, env)).toMatchObject({
    status: 0,
    stdout: "backfill: history\n",
  });
  expect(asked).toEqual([{ operation: "backfill", t_end: "now", max_events: 5_000_000 }]);
});

test("status --wait first prints what is written, such as the size of a history", async () => {
  const at = (step: string | null) => ({
    state: {
      ...{ kind: step === null ? "starting" : "running", operation: "clean_start", step },
      reason: "about 305,000 events",
    },
    batches: 7,
    progress: 0,
    model: null,
  });
  const writes = at("backfill");
  const { env } = await fakeGenerator(at(null), writes, writes, at("live"));
  const found = await pipelineAsync(["generator", "status", "--wait", "60"], env);
  expect(found).toMatchObject({ status: 0, stderr: "clean_start: about 305,000 events\n" });
  expect(found.stdout).toMatch(/^running \(live\): about 305,000 events\n7 batches/);
  const { env: ready } = await fakeGenerator(writes);
  const waiting = ["generator", "status", "--wait", "60", "--accept-running"];
  expect((await pipelineAsync(waiting, ready)).stderr).toBe("clean_start: about 305,000 events\n");
});
