import { type Json, objectIn, objectsOf, type Protocol, parse, timeOf } from "./protocol.ts";

const TYPES = ["page", "track", "identify", "alias", "group", "screen"];

/** Calls in the form in which Segment keeps them: https://segment.com/docs/connections/spec/common/ */
export const segment: Protocol = {
  name: "segment",
  matches: /^POST \/v1\/([ptiags]|page|track|identify|alias|group|screen|batch)$/,
  siteOf: (hit) => hit.writeKey,
  *hitsOf({ path, body, at, addressOf, agent }) {
    const request = parse(body) as Json;
    // A program calls /v1/track without a type, a page /v1/t with one.
    const named = path.slice("/v1/".length);
    const pathType = TYPES.find((type) => named === type || named === type[0]);
    const calls = "batch" in request ? objectsOf(request.batch, "batch") : [request];
    for (const call of calls) {
      const context = { ...objectIn(request.context), ...objectIn(call.context) };
      yield {
        writeKey: request.writeKey,
        ...call,
        type: TYPES.find((type) => type === call.type) ?? pathType ?? "another type",
        context: {
          ...context,
          ip: addressOf(context.ip),
          userAgent: context.userAgent ?? agent,
        },
        timestamp: timeOf(at, call.timestamp, call.sentAt ?? request.sentAt),
        ...{ request_ip: undefined, requestIp: undefined },
      };
    }
  },
};
