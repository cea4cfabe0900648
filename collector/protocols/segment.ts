import {
  type Hit,
  type Json,
  objectIn,
  objectsOf,
  type Protocol,
  parse,
  timeOf,
} from "./protocol.ts";

/** Calls in the form in which Segment keeps them: https://segment.com/docs/connections/spec/common/ */
export const segment: Protocol = {
  name: "segment",
  matches: /^POST \/v1\/([ptiags]|page|track|identify|alias|group|screen|batch)$/,
  siteOf: (hit) => hit.writeKey,
  hitsOf({ body, at, address, agent }) {
    const request = parse(body) as Json;
    const calls = "batch" in request ? objectsOf(request.batch, "batch") : [request];
    return calls.map((call): Hit => {
      const context = { ...objectIn(request.context), ...objectIn(call.context) };
      return {
        writeKey: request.writeKey,
        ...call,
        context: { ...context, userAgent: context.userAgent ?? agent },
        timestamp: timeOf(at, call.timestamp, call.sentAt ?? request.sentAt),
        request_ip: address,
      };
    });
  },
};
