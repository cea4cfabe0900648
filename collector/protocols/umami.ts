import {
  ANOTHER_TYPE,
  BadHit,
  type Json,
  objectIn,
  type Protocol,
  parse,
  textOf,
  timeOf,
} from "./protocol.ts";

const TYPES = ["event", "identify"];

/** https://umami.is/docs/api/sending-stats: no visitor and no time, so that the collector gives both. */
export const umami: Protocol = {
  name: "umami",
  matches: /^POST \/api\/send$/,
  siteOf: (hit) => hit.website,
  hitsOf({ body, at, addressOf, agent, language, visitorOf }) {
    const request = parse(body) as Json;
    const { ip, ...payload } = objectIn(request.payload);
    const site = textOf(payload.website);
    if (site === "") throw new BadHit("payload.website is missing");
    // A time is whole seconds.
    const seconds = Number(payload.timestamp);
    return [
      {
        language,
        ...payload,
        type: TYPES.find((type) => type === (request.type ?? "event")) ?? ANOTHER_TYPE,
        visitor: visitorOf(site),
        time: timeOf(at, seconds > 0 ? seconds * 1000 : "", ""),
        address: addressOf(ip),
        agent: payload.userAgent ?? agent,
      },
    ];
  },
};
