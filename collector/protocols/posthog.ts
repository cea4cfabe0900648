import { type Json, objectIn, objectsOf, type Protocol, parse, timeOf } from "./protocol.ts";

/** Events in the form in which PostHog exports them: https://posthog.com/docs/api/capture */
export const posthog: Protocol = {
  name: "posthog",
  matches: /^POST \/(e|i\/v0\/e|capture|track|batch)\/?$/,
  siteOf: (hit) => objectIn(hit.properties).token,
  *hitsOf({ body, at, addressOf, agent }) {
    const request = parse(textIn(body));
    const {
      batch,
      sent_at: sent,
      api_key: key,
    } = Array.isArray(request) ? { batch: request } : (request as Json);
    const events = batch === undefined ? [request as Json] : objectsOf(batch, "batch");
    for (const event of events) {
      const properties = objectIn(event.properties);
      yield {
        uuid: "",
        ...event,
        distinct_id: event.distinct_id ?? properties.distinct_id ?? "",
        timestamp: timeOf(at, event.timestamp, event.sent_at ?? sent),
        // A program names the key beside the events, a page in each.
        properties: {
          $raw_user_agent: agent,
          token: event.api_key ?? key,
          ...properties,
          $ip: addressOf(properties.$ip),
        },
      };
    }
  },
};

/** A form, which pages send when they are left, has the JSON as base64. */
function textIn(body: string): string {
  const form = body.startsWith("data=") ? new URLSearchParams(body).get("data") : null;
  return form === null ? body : Buffer.from(form.replaceAll(" ", "+"), "base64").toString();
}
