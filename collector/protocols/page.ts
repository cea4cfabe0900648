import { BadHit, type Json, type Protocol, parse, textOf, timeOf } from "./protocol.ts";

/** The snippet of this project (collector/pages/snippet.js). */
export const page: Protocol = {
  name: "page",
  matches: /^POST \/hit$/,
  siteOf: (hit) => hit.site,
  hitsOf({ body, at, addressOf, agent, language, visitorOf }) {
    const event = parse(body) as Json;
    const site = textOf(event.site);
    if (site === "") throw new BadHit("site is missing");
    return [
      {
        language,
        ...event,
        // Without consent a page sends no visitor.
        visitor: textOf(event.visitor) || visitorOf(site),
        time: timeOf(at, event.time, event.sent),
        address: addressOf(),
        agent,
      },
    ];
  },
};
