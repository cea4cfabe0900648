import { beforeEach, expect, test } from "vitest";
import { clearAll } from "../support/engine.ts";
import { browserMessage, deviceMessage, uuid } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

let events = 0;
/** A session of one page event; `ahead`: hours by which its clock is fast. */
function session(number: number, visitor: string, day: number, ahead = 0) {
  const sent = Date.UTC(2026, 0, day, 20);
  const stamp = new Date(sent + ahead * 3_600_000).toISOString().replace("T", " ").slice(0, 23);
  const click_id = uuid(100 + number);
  events += 1;
  return [
    browserMessage({ event_id: uuid(events), click_id, event_timestamp: stamp }, sent * 1000),
    deviceMessage({ click_id, user_custom_id: visitor, user_domain_id: uuid(7) }),
  ];
}

const retention = () =>
  engine.db.rows(
    "SELECT toString(cohort) AS cohort, day_number, visitors, cohort_visitors FROM dm.v_retention ORDER BY cohort, day_number",
  );

test("cohorts end with the last complete day, with any skewed clock", async () => {
  await publish(engine.db, [
    ...session(1, "comes back", 1),
    ...session(2, "comes back", 2),
    ...session(3, "once", 2),
    ...session(4, "today only", 3),
    // Late on the third day, with a time on the fourth.
    ...session(5, "comes back", 3, 8),
    ...session(6, "is ahead", 3, 8),
  ]);
  await load(engine.db, "full");
  expect(await retention()).toEqual([
    { cohort: "2026-01-01", day_number: 0, visitors: 1, cohort_visitors: 1 },
    { cohort: "2026-01-01", day_number: 1, visitors: 1, cohort_visitors: 1 },
    { cohort: "2026-01-02", day_number: 0, visitors: 1, cohort_visitors: 1 },
  ]);
});

test("a session seen only by a skewed clock is no return on a later day either", async () => {
  await publish(engine.db, [
    ...session(1, "once", 1),
    ...session(2, "once", 1, 8),
    ...session(3, "other", 3),
  ]);
  await load(engine.db, "full");
  expect(await retention()).toEqual([
    { cohort: "2026-01-01", day_number: 0, visitors: 1, cohort_visitors: 1 },
    { cohort: "2026-01-01", day_number: 1, visitors: 0, cohort_visitors: 1 },
  ]);
  expect(
    await engine.db.rows("SELECT clock, click_id FROM dm.v_session_overview ORDER BY click_id"),
  ).toEqual([
    { clock: "right", click_id: uuid(101) },
    { clock: "ahead", click_id: uuid(102) },
    { clock: "right", click_id: uuid(103) },
  ]);
});

test("an empty history has no cohorts", async () => {
  expect(await retention()).toEqual([]);
});
