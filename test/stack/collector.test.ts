import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { waitFor } from "../kafka/harness.ts";
import { configure, HTTP_PORT, STACK, succeed } from "./light-stack.ts";
import "./leftovers.ts";
import { count, ROOT, services } from "./operator.ts";

const URL = "http://127.0.0.1:29135";

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

test("a stack with a collector takes the requests of trackers, and reads their messages from Kafka", async () => {
  const image = "event-pipeline/offline/node:24.21.0";
  const undo = configure(STACK, { collector: { image } });
  succeed(STACK, "up");
  expect(Object.keys(services(STACK))).toContain("collector");
  const file = join(ROOT, "test/engine/collector/requests.jsonl");
  const requests = readFileSync(file, "utf8").trim().split("\n");
  for (const line of requests) {
    const { method, path, contentType, body }: Recorded = JSON.parse(line);
    const headers = { "content-type": contentType };
    const answer = await fetch(`${URL}${path}`, { method, headers, body });
    expect(answer.status).toBe(200);
  }
  const totals = await (await fetch(`${URL}/micro/all`)).json();
  expect(totals).toEqual({ total: 15, good: 15, bad: 0 });
  // Three hits are no events, such as the identification of a visitor.
  const events = "(SELECT 1 FROM stg.raw WHERE _topic = 'browser_events')";
  await waitFor("stg has the events", async () => (await count(STACK, events, HTTP_PORT)) === 12);
  undo();
});
