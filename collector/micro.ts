import type { FastifyInstance } from "fastify";
import type { HitOutcome } from "../contract/hit-outcome.ts";

interface Totals {
  readonly total: number;
  readonly good: number;
  readonly bad: number;
}

/** What the delivery knows of the hits; each answer covers all that were received before it. */
export interface Outcomes {
  totals(): Promise<Totals>;
  /** Returns the latest hits, the latest first. */
  latest(kind: "all" | "good" | "bad", limit: number): Promise<HitOutcome[]>;
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
  app.get("/micro/reset", async (request, reply) => {
    // A picture on a page of another site could reset the counts, because its request names no origin.
    if (request.headers["sec-fetch-site"] === "cross-site") return reply.code(403).send();
    await outcomes.reset();
    return outcomes.totals();
  });
  app.get("/hits", () => outcomes.latest("all", 100));
}

const goodEvent = ({ protocol, received, reason, body, event, location }: HitOutcome) => {
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

const badEvent = ({ protocol, received, reason, body }: HitOutcome) => ({
  collectorPayload: { api: { vendor: protocol }, body, context: { timestamp: received } },
  errors: [reason],
});
