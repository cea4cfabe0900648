import {
  type Arrival,
  BadHit,
  type Hit,
  type Json,
  objectsOf,
  type Protocol,
  parse,
  timeOf,
} from "./protocol.ts";

/** https://docs.snowplow.io/docs/events/going-deeper/http-requests/ */
export const snowplow: Protocol = {
  name: "snowplow",
  matches: /^(POST \/com\.snowplowanalytics\.snowplow\/tp2|GET \/(ice\.png|i))$/,
  siteOf: (hit) => hit.aid,
  *hitsOf(arrival) {
    const events = arrival.query.has("e") ? [ofQuery(arrival.query)] : ofBody(arrival.body);
    for (const event of events) yield hitOf(event, arrival);
  },
};

const ofQuery = (query: URLSearchParams): Json => Object.fromEntries(query);

function ofBody(body: string): Json[] {
  if (body === "") throw new BadHit("the query has no parameter e");
  const payload = parse(body) as Json;
  return objectsOf(payload.data, "data");
}

function hitOf(event: Json, { at, addressOf, agent }: Arrival): Hit {
  const { cx, ue_px: described, ip, ...rest } = event;
  return {
    ...rest,
    co: event.co ?? decode(cx),
    ue_pr: event.ue_pr ?? decode(described),
    // A page may set the true time itself. Without the time of sending, its clock is not known.
    time: event.ttm ? timeOf(at, event.ttm, "") : timeOf(at, event.stm && event.dtm, event.stm),
    address: addressOf(ip),
    agent: event.ua ?? agent,
  };
}

const decode = (text: unknown): string =>
  typeof text === "string" ? Buffer.from(text, "base64url").toString() : "";
