import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { LAYERS } from "../../../contract/layers.ts";
import { STREAMS } from "../../../contract/streams.ts";
import { rebuildLayer } from "../../../warehouse/reconciliation/rebuild.ts";
import type { Verdict } from "../../../warehouse/reconciliation/reconciliation.ts";
import { applyDdl } from "../../../warehouse/schema/ddl.ts";
import { clearAll } from "../../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  geoMessage,
  locationMessage,
  type Message,
  rawMessage,
  uuid,
} from "../../support/messages.ts";
import { load, newEpoch, publish } from "../../support/pipeline.ts";
import { IS_EXHAUSTIVE } from "../../support/sample.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { byEmission, publishInPartitions, stateSent } from "./base.ts";
import { checkBoth } from "./check.ts";
import { runUpTo } from "./interruptions.ts";

/** Seeds of the sizes. */
const SEEDS = IS_EXHAUSTIVE ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];

const engine = useTestEngine();
let messages: Message[];
let others: Message[];
let states = 0;
let falseAlarms = 0;
beforeAll(async () => {
  messages = byEmission((await generateMessages("legitimate", 3)).messages);
  others = byEmission((await generateMessages("other", 2)).messages);
});
afterAll(async () => {
  console.log(`legitimate states: ${states}, false alarms: ${falseAlarms}`);
});
beforeEach(() => clearAll(engine.db));

/** Checks that the reconciliation has this verdict and the deep check finds nothing. */
async function expectNoAlarm(verdict: Verdict): Promise<void> {
  states += 1;
  const { reconciliation, deep, result } = await checkBoth(engine.db);
  if (reconciliation.verdict !== verdict || deep.length > 0) falseAlarms += 1;
  expect({ verdict: reconciliation.verdict, deep, rows: result.rows }).toEqual({
    verdict,
    deep: [],
    rows: [],
  });
}

/** Publishes messages with a statement of their source. */
async function send(name: string, sent: readonly Message[]): Promise<void> {
  await publishInPartitions(engine.db, sent);
  await stateSent(engine.db, name, sent);
}

test.each(SEEDS)("between and after loads of random sizes (%i)", async (seed) => {
  // A linear congruential generator is random enough for the cuts.
  const cuts = [1, 2].map((n) => (seed * 7919 * n) % messages.length).sort((a, b) => a - b);
  const bounds = [0, ...cuts, messages.length];
  for (const [index, end] of bounds.slice(1).entries()) {
    const part = messages.slice(bounds[index], end);
    await send(`part ${index}`, part);
    await expectNoAlarm(part.length === 0 ? "accounted" : "incomplete");
    await load(engine.db, "incremental");
    await expectNoAlarm("accounted");
  }
});

const { raw, ahead } = {
  raw: STREAMS.map((stream) => rawMessage(stream, "[1]")),
  ahead: Date.UTC(2026, 0, 1, 10) * 1000,
};

/** Steps to a state in which every load has ended. */
const FINISHED: Record<string, () => Promise<unknown>> = {
  "a full refresh": async () => {
    await send("all", messages);
    await load(engine.db, "full");
  },
  "a full refresh after an incremental load": async () => {
    await send("all", messages);
    await load(engine.db, "incremental");
    await load(engine.db, "full");
  },
  "a load without a new message": async () => {
    await send("all", messages);
    await load(engine.db, "incremental");
    await load(engine.db, "incremental");
  },
  "own data that no manifest states": async () => {
    await publish(engine.db, messages);
    await load(engine.db, "incremental");
  },
  "two datasets in one epoch": async () => {
    await send("one", messages);
    await load(engine.db, "incremental");
    await send("other", others);
    await load(engine.db, "incremental");
  },
  "a slice of a dataset in an epoch of its own": async () => {
    await send("all", messages);
    await load(engine.db, "incremental");
    await newEpoch(engine.db);
    await send("slice", messages.slice(0, 20));
    await load(engine.db, "incremental");
  },
  "the whole dataset again in a new epoch": async () => {
    await send("all", messages);
    await load(engine.db, "incremental");
    await newEpoch(engine.db);
    await send("all", messages);
    await load(engine.db, "incremental");
  },
  "three epochs in one load": async () => {
    for (const part of [messages, others, messages]) {
      await newEpoch(engine.db);
      await send("all", part);
    }
    await load(engine.db, "incremental");
  },
  "a reset whose epoch has no message yet": async () => {
    await send("all", messages);
    await load(engine.db, "incremental");
    await newEpoch(engine.db);
  },
  "locations that come a load later": async () => {
    await send(
      "pages",
      messages.filter(({ stream }) => stream !== "location"),
    );
    await load(engine.db, "incremental");
    await send(
      "places",
      messages.filter(({ stream }) => stream === "location"),
    );
    await load(engine.db, "incremental");
  },
  "page events that come a load later": async () => {
    await send(
      "rest",
      messages.filter(({ stream }) => stream !== "browser"),
    );
    await load(engine.db, "incremental");
    await send(
      "pages",
      messages.filter(({ stream }) => stream === "browser"),
    );
    await load(engine.db, "incremental");
  },
  "devices and places of sessions that come a load later": async () => {
    await send(
      "pages",
      messages.filter(({ stream }) => stream !== "device" && stream !== "geo"),
    );
    await load(engine.db, "incremental");
    await send(
      "facts",
      messages.filter(({ stream }) => stream === "device" || stream === "geo"),
    );
    await load(engine.db, "incremental");
  },
  "every message twice, in one load": async () => {
    await send("twice", [...messages, ...messages]);
    await load(engine.db, "incremental");
  },
  "every message twice, in two loads": async () => {
    for (const name of ["first", "second"]) {
      await send(name, messages);
      await load(engine.db, "incremental");
    }
  },
  "a delivery that is repeated before its load": async () => {
    await send("all", messages);
    await engine.db.run(
      "INSERT INTO stg.raw SELECT * FROM stg.raw WHERE _topic = 'browser_events'",
    );
    await load(engine.db, "incremental");
  },
  "a delivery that is repeated after its load": async () => {
    await send("all", messages);
    await load(engine.db, "incremental");
    await engine.db.run(
      "INSERT INTO stg.raw SELECT * REPLACE (now64(6) AS ingested_at) FROM stg.raw WHERE _topic = 'browser_events'",
    );
    await load(engine.db, "incremental");
  },
  "messages that are no JSON objects": async () => {
    await send("raw", raw);
    await load(engine.db, "incremental");
  },
  "one session by hand, with a skewed clock": async () => {
    await send("hand", [
      browserMessage({}, ahead),
      browserMessage({ event_id: uuid(2), event_timestamp: "2026-01-02 21:00:00.000000" }, ahead),
      ...[locationMessage({}), deviceMessage({}), geoMessage({})],
    ]);
    await load(engine.db, "incremental");
  },
  "an event that a new epoch moves to another session": async () => {
    await send("old", [browserMessage({}), deviceMessage({}), geoMessage({})]);
    await load(engine.db, "incremental");
    await newEpoch(engine.db);
    await send("new", [browserMessage({ click_id: uuid(101) }), locationMessage({})]);
    await load(engine.db, "incremental");
    await send("known", [deviceMessage({ click_id: uuid(101) })]);
    await load(engine.db, "incremental");
  },
  "several loads of ods in one of dds": async () => {
    for (const [index, part] of [messages.slice(0, 40), messages.slice(40)].entries()) {
      await send(`part ${index}`, part);
      await runUpTo(engine.db, "load_ods");
    }
    await load(engine.db, "incremental");
  },
  "several loads of dds in one of dm": async () => {
    for (const [index, part] of [messages.slice(0, 40), messages.slice(40)].entries()) {
      await send(`part ${index}`, part);
      await runUpTo(engine.db, "load_dds");
    }
    await load(engine.db, "incremental");
  },
  ...Object.fromEntries(
    LAYERS.filter((layer) => layer !== "stg").map((layer) => [
      `${layer} rebuilt`,
      async () => {
        await send("all", messages);
        await load(engine.db, "incremental");
        await rebuildLayer(engine.db, layer);
        await applyDdl(engine.db, "all");
        await load(engine.db, "incremental");
      },
    ]),
  ),
};

test.each(Object.entries(FINISHED))("%s", async (_, prepare) => {
  await prepare();
  await expectNoAlarm("accounted");
});

test.each(["load_ods", "load_dds", "load_dm_events", "load_dm_sessions", "load_dm_visitors"])(
  "a run in progress after the end of %s",
  async (step) => {
    await send("first", messages);
    await load(engine.db, "incremental");
    await send("second", others);
    await runUpTo(engine.db, step);
    await expectNoAlarm("incomplete");
  },
);
