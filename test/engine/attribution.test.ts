import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { clearAll } from "../support/engine.ts";
import { generateMessages } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

interface Visit {
  readonly channel: string;
  readonly purchases: number;
}

type Credits = Record<string, { first: number; last: number; linear: number }>;

async function found(): Promise<Credits> {
  const rows = await engine.db.rows<{
    channel: string;
    first: number;
    last: number;
    linear: number;
  }>(
    `SELECT channel, toUInt32(first_touch_purchases) AS first, toUInt32(last_touch_purchases) AS last,
       linear_purchases AS linear FROM dm.v_attribution`,
  );
  return Object.fromEntries(rows.map(({ channel, ...credits }) => [channel, credits]));
}

/** Gives each purchase to the sessions of its visitor, one purchase after the other. */
function expected(visitors: readonly (readonly Visit[])[]): Credits {
  const credits: Credits = {};
  const of = (visit: Visit | undefined) => {
    const channel = visit?.channel ?? "";
    credits[channel] ??= { first: 0, last: 0, linear: 0 };
    return credits[channel];
  };
  for (const visits of visitors) {
    for (const [index, visit] of visits.entries()) {
      of(visits[0]).first += visit.purchases;
      of(visit).last += visit.purchases;
      for (const before of visits.slice(0, index + 1)) {
        of(before).linear += visit.purchases / (index + 1);
      }
    }
  }
  return credits;
}

const visit = fc.record({
  channel: fc.constantFrom("email", "direct", "paid search"),
  purchases: fc.nat({ max: 2 }),
});

test("each model gives every purchase to the channels of its visitor's sessions", async () => {
  const visitors = fc.array(fc.array(visit, { minLength: 1, maxLength: 6 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(visitors, async (all) => {
      const rows = all.flatMap((visits, visitor) =>
        visits.map(
          ({ channel, purchases }, index) =>
            `(generateUUIDv4(${visitor * 10 + index}), '${visitor}', ${index + 1}, '${channel}', ${purchases})`,
        ),
      );
      await engine.db.run("TRUNCATE TABLE dm.session");
      await engine.db.run(
        `INSERT INTO dm.session (click_id, user_custom_id, session_number, channel, purchases) VALUES ${rows.join(", ")}`,
      );
      const wanted = expected(all);
      const credits = await found();
      expect(Object.keys(credits).sort()).toEqual(Object.keys(wanted).sort());
      for (const [channel, { first, last, linear }] of Object.entries(wanted)) {
        expect(credits[channel]).toEqual({ first, last, linear: expect.closeTo(linear, 6) });
      }
    }),
    { numRuns: 20, seed: 7 },
  );
});

test("each model has all purchases of a history with defects", async () => {
  await publish(engine.db, (await generateMessages("attribution", 6)).messages);
  await load(engine.db, "full");
  const [total] = await engine.db.rows<{ all: number; unknown: number }>(
    "SELECT toUInt32(sum(purchases)) AS all, toUInt32(sumIf(purchases, isNull(session_number))) AS unknown FROM dm.session",
  );
  expect(total?.unknown).toBeGreaterThan(0);
  const credits = Object.values(await found());
  const sum = (model: "first" | "last" | "linear") =>
    credits.reduce((sum, credit) => sum + credit[model], 0);
  expect([sum("first"), sum("last")]).toEqual([total?.all, total?.all]);
  expect(sum("linear")).toBeCloseTo(total?.all ?? 0, 6);
});
