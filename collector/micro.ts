import type { FastifyInstance } from "fastify";

/** What became of a hit. */
interface Outcome {
  readonly number: number;
  readonly protocol: string;
  /** ISO 8601. */
  readonly received: string;
  readonly is_bad: boolean;
  /** Why it is bad, or why a good hit is no event; empty for an event. */
  readonly reason: string;
  readonly body: string;
  /** Messages of the streams browser and location as JSON; empty without an event. */
  readonly event: string;
  readonly location: string;
}

interface Totals {
  readonly total: number;
  readonly good: number;
  readonly bad: number;
}

/** What the delivery knows of the hits; each answer covers all that were received before it. */
export interface Outcomes {
  totals(): Promise<Totals>;
  /** Returns the latest hits, the latest first. */
  latest(kind: "all" | "good" | "bad", limit: number): Promise<Outcome[]>;
  /** Forgets earlier hits here; they stay in the database. */
  reset(): Promise<void>;
}

/** Most hits of one answer. */
const LIMIT = 1000;

/** Adds the answers of Snowplow Micro: https://docs.snowplow.io/docs/testing/snowplow-micro/api/ */
export function addMicro(app: FastifyInstance, outcomes: Outcomes): void {
  app.get("/micro/all", () => outcomes.totals());
  app.get("/micro/good", async () => (await outcomes.latest("good", LIMIT)).map(goodEvent));
  app.get("/micro/bad", async () => (await outcomes.latest("bad", LIMIT)).map(badEvent));
  app.get("/micro/reset", async () => {
    await outcomes.reset();
    return outcomes.totals();
  });
  app.get("/hits", () => outcomes.latest("all", 100));
}

const goodEvent = ({ protocol, received, reason, body, event, location }: Outcome) => {
  const parameters = JSON.parse(body);
  const row = event === "" ? null : { ...JSON.parse(event), ...JSON.parse(location) };
  return {
    rawEvent: { api: { vendor: protocol }, parameters, context: { timestamp: received } },
    eventType: row?.event_type ?? null,
    schema: schemasIn(parameters.ue_pr)[1] ?? null,
    contexts: schemasIn(parameters.co).slice(1),
    event: row,
    ...(row === null && { skipped: reason }),
  };
};

/** Names of the schemas in a self-describing JSON of Snowplow, from the outside to the inside. */
const schemasIn = (json: unknown): string[] =>
  [...String(json ?? "").matchAll(/"schema":"(iglu:[^"]+)"/g)].map(([, schema = ""]) => schema);

const badEvent = ({ protocol, received, reason, body }: Outcome) => ({
  collectorPayload: { api: { vendor: protocol }, body, context: { timestamp: received } },
  errors: [reason],
});
