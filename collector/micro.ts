import type { FastifyInstance } from "fastify";
import type { HitOutcome } from "../contract/hit-outcome.ts";
import { objectIn } from "./protocols/protocol.ts";

interface Totals {
  readonly total: number;
  readonly good: number;
  readonly bad: number;
}

/** What the delivery knows of the hits; each answer covers all that were received before it. */
export interface Outcomes {
  totals(): Promise<Totals>;
  /** Returns the latest hits, the latest first. */
  latest(kind: "good" | "bad", limit: number): Promise<HitOutcome[]>;
  /** Returns the latest hits as the page of hits shows them: long texts are cut. */
  shown(limit: number): Promise<unknown[]>;
  /** Forgets earlier hits here; they stay in the database. */
  reset(): Promise<void>;
}

/** Most hits of one answer. */
const LIMIT = 1000;

/** Adds the answers of Snowplow Micro: https://docs.snowplow.io/docs/testing/snowplow-micro/api/ */
export function addMicro(app: FastifyInstance, outcomes: Outcomes): void {
  // Clients of Micro post filters, which have no effect here.
  const answer = (url: string, handler: () => Promise<unknown>) =>
    app.route({ method: ["GET", "POST"], url, handler });
  answer("/micro/all", () => outcomes.totals());
  answer("/micro/good", async () => (await outcomes.latest("good", LIMIT)).map(goodEvent));
  answer("/micro/bad", async () => (await outcomes.latest("bad", LIMIT)).map(badEvent));
  app.get("/micro/reset", async (request, reply) => {
    // A picture on a page of another site could reset the counts, because its request names no origin.
    if (request.headers["sec-fetch-site"] === "cross-site") return reply.code(403).send();
    await outcomes.reset();
    return outcomes.totals();
  });
  app.get("/hits", () => outcomes.shown(100));
}

const goodEvent = ({ protocol, received, reason, body, event, location }: HitOutcome) => {
  const parameters = JSON.parse(body);
  const row = event === "" ? null : { ...JSON.parse(event), ...JSON.parse(location) };
  return {
    rawEvent: { api: apiOf(protocol), parameters, context: { timestamp: received } },
    eventType: (protocol === "snowplow" ? EVENT_TYPES[parameters.e] : row?.event_type) ?? null,
    schema: schemasIn(parameters.ue_pr)[0] ?? null,
    contexts: schemasIn(parameters.co),
    event: row,
    ...(row === null && { skipped: reason }),
  };
};

/** Snowplow's names of event types. */
const EVENT_TYPES: Readonly<Record<string, string>> = {
  ...{ pv: "page_view", pp: "page_ping", se: "struct", ue: "unstruct" },
  ...{ tr: "transaction", ti: "transaction_item" },
};

const apiOf = (protocol: string) =>
  protocol === "snowplow"
    ? { vendor: "com.snowplowanalytics.snowplow", version: "tp2" }
    : { vendor: protocol };

/** Returns the names of the schemas in the data of a self-describing JSON of Snowplow; of another text, none. */
function schemasIn(json: unknown): unknown[] {
  try {
    const data = [JSON.parse(String(json)).data];
    return data.flat().flatMap((item) => objectIn(item).schema ?? []);
  } catch {
    return [];
  }
}

const badEvent = ({ protocol, received, reason, body }: HitOutcome) => ({
  collectorPayload: { api: apiOf(protocol), body, context: { timestamp: received } },
  errors: [reason],
});
