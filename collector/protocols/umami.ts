import { BadHit, type Json, objectIn, type Protocol, parse, textOf, timeOf } from "./protocol.ts";

/** https://umami.is/docs/api/sending-stats: no visitor and no time, so that the collector gives both. */
export const umami: Protocol = {
  name: "umami",
  matches: /^POST \/api\/send$/,
  siteOf: (hit) => hit.website,
  hitsOf({ body, at, addressOf, agent, language, visitorOf }) {
    const request = parse(body) as Json;
    const { type = "event" } = request;
    if (type !== "event" && type !== "identify") throw new BadHit("type is not event or identify");
    const { ip, ...payload } = objectIn(request.payload);
    const site = textOf(payload.website);
    if (site === "") throw new BadHit("payload.website is missing");
    // A time is whole seconds.
    const seconds = Number(payload.timestamp);
    return [
      {
        language,
        ...payload,
        type,
        visitor: visitorOf(site),
        time: timeOf(at, seconds > 0 ? seconds * 1000 : "", ""),
        address: addressOf(ip),
        agent: payload.userAgent ?? agent,
      },
    ];
  },
};
