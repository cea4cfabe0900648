import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../contract/ports.ts";
import { buildReport } from "../../../report/report.ts";
import { transform } from "../../../warehouse/batch/transform.ts";
import { followClick, interestingClick } from "../../../warehouse/follow/follow.ts";
import { intervalOf, readAnalytics } from "../../../warehouse/history/analytics.ts";
import { checkHistory } from "../../../warehouse/history/check.ts";
import { modelOf } from "../../../warehouse/history/model.ts";
import { StgPublisher } from "../../../warehouse/loader/stg-publisher.ts";
import { prove } from "../../../warehouse/reconciliation/prove.ts";
import { ddlFilesOf } from "../../../warehouse/schema/ddl.ts";
import { openTestEngine, type TestEngine } from "../../support/engine.ts";
import { faultsOf } from "../../support/markup.ts";
import { type Message, toBatch } from "../../support/messages.ts";
import { pythonEnvironment } from "../../support/python.ts";
import { OlderEngine } from "../older/older-engine.ts";
import { type History, makeHistory, storeManifest } from "./generate.ts";

const environment = pythonEnvironment(join(import.meta.dirname, "../older/requirements.txt"));
const reason = "missing" in environment ? environment.missing : "";

describe.skipIf("missing" in environment)(`history on ClickHouse 24.8 ${reason}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "older-history-"));
  let older: OlderEngine;
  let engine: TestEngine;
  let history: History;

  beforeAll(async () => {
    older = new OlderEngine("python" in environment ? environment.python : "", directory);
    for (const file of ddlFilesOf("all")) {
      for (const statement of file.statements) await older.run(statement);
    }
    engine = await openTestEngine();
    history = await makeHistory();
    const messages = [...history.backfill, ...history.live];
    for (const db of [older, engine.db]) await fill(db, messages, history);
  });
  afterAll(async () => {
    await older.close();
    await engine[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  test("analytics, checks and a followed session equal those of the current engine", async () => {
    expect(await answers(older, history)).toEqual(await answers(engine.db, history));
  });

  test("the report is valid", async () => {
    const ledger = await prove(older);
    const input = { reconciliation: ledger, place: {} };
    expect(faultsOf(await buildReport(older, input))).toEqual([]);
  });
});

async function fill(db: Database, messages: readonly Message[], { manifest }: History) {
  const publisher = await StgPublisher.open(db);
  await publisher.publish(toBatch(messages));
  await publisher.close();
  await storeManifest(db, manifest);
  await transform(db, { fullRefresh: true, waitSeconds: 1 });
}

/** Everything except wall-clock times, epochs and leases, which differ between two runs. */
async function answers(db: Database, { manifest }: History) {
  const clickId = await interestingClick(db);
  const trace = await followClick(db, clickId);
  return {
    analytics: await readAnalytics(db, modelOf({ manifest }), await intervalOf(db, manifest)),
    checks: await checkHistory(db, { liveHandover: true, env: {} }),
    clickId,
    events: trace.events.map((event) => ({ ...event, load_id: "any" })),
    messages: trace.messages.map(({ stream, offset, raw, fate, markers, hops }) => ({
      stream,
      offset,
      raw,
      fate,
      markers,
      emitted: hops.emitted,
    })),
  };
}
