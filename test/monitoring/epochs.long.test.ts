import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pipelineMetrics } from "../../contract/metrics.ts";
import { query } from "../../dashboards/checks/prometheus.ts";
import { pipeline } from "../../dashboards/signals/pipeline.ts";
import { thresholds } from "../../dashboards/thresholds.ts";
import { sendControl } from "../../generator/client/http-client.ts";
import { openBroker } from "../../kafka/client.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { connectionTo } from "../kafka/connection.ts";
import { GENERATOR_TOKEN } from "../kafka/generator.ts";
import { waitFor } from "../kafka/harness.ts";
import { startPrometheus, TestPipeline } from "./environment.ts";
import type { TestService } from "./services.ts";

/** Factor by which ten minutes become thirty seconds. */
const SCALE = 0.05;

let system: TestPipeline;
let prometheus: TestService;
let admin: Admin;

beforeAll(async () => {
  system = await TestPipeline.open("127.0.0.1:1");
  admin = await openBroker(connectionTo(system.broker.bootstrap), "test");
  prometheus = await startPrometheus(system.targets, system.password, { scale: SCALE });
});
afterAll(async () => {
  await prometheus?.stop();
  await admin?.close();
  await system?.close();
});

const value = async (expr: string): Promise<number> =>
  Number((await query(prometheus.url, expr))[0]?.value[1] ?? Number.NaN);
const raw = () => value(`sum(${pipelineMetrics.messages}{state="raw"})`);
const brokerEpoch = async () => (await readEpoch(admin))?.epoch ?? 0;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const control = (request: object) =>
  sendControl({ url: `http://${system.targets.generator}`, token: GENERATOR_TOKEN }, request);

test("the metrics follow an epoch that the generator starts by itself", async () => {
  await waitFor("Prometheus sees the first epoch", async () => (await raw()) > 0, 600_000);
  const first = await brokerEpoch();
  await control({ operation: "pause" });
  await control({ operation: "clean_start", t_end: inMinutes(10), confirm: "test" });
  await waitFor("an epoch of its own begins", async () => (await brokerEpoch()) > first);

  // More messages than the threshold, all in an epoch that no command has registered.
  const stored = async () => {
    const [row] = await system.db.rows<{ rows: number }>(
      `SELECT count() AS rows FROM stg.raw WHERE _topic = 'browser_events' AND epoch > ${first}`,
    );
    return Number(row?.rows);
  };
  await waitFor("its messages are stored", async () => (await stored()) > 3_000, 600_000);
  await control({ operation: "pause" });
  const [{ sent = 0 } = {}] = await system.db.rows<{ sent: number }>(
    `SELECT count() AS sent FROM stg.raw FINAL WHERE _topic = 'browser_events' AND epoch > ${first}`,
  );
  await waitFor(
    "the metrics show the new epoch",
    async () => (await value(`${pipelineMetrics.messages}{state="raw",stream="browser"}`)) >= sent,
  );
  // The wait is longer than the rule's duration.
  const mostStuck = `max_over_time((${pipeline.stuck.expr})[40s:1s])`;
  await waitFor(
    "nothing is stuck",
    async () => (await value(mostStuck)) < thresholds.stuckMessages,
    600_000,
  );
  const firing = 'max_over_time(ALERTS{alertname="BrokerMessagesStuck",alertstate="firing"}[1h])';
  expect(await query(prometheus.url, firing)).toEqual([]);
});

test("a message that disappears in that epoch is lost", async () => {
  await system.transform();
  const lost = `sum(${pipelineMetrics.messages}{state="lost"})`;
  const typed = `sum(${pipelineMetrics.messages}{state="typed"})`;
  await waitFor("the metrics show the load", async () => (await value(typed)) > 0);
  expect(await value(lost)).toBe(0);
  await system.db.run(
    `DELETE FROM ods.browser_event
     WHERE epoch = ${await brokerEpoch()} AND (_partition, _offset) IN
       (SELECT _partition, _offset FROM ods.browser_event ORDER BY epoch DESC, _offset LIMIT 3)`,
  );
  await waitFor("the metrics show the loss", async () => (await value(lost)) === 3);
});
