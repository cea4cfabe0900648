import { BadHit, type Json, type Protocol, parse, textOf } from "./protocol.ts";

/** https://plausible.io/docs/events-api: no ids and no time, so that the collector gives both. */
export const plausible: Protocol = {
  name: "plausible",
  matches: /^POST \/api\/event$/,
  siteOf: (hit) => hit.site,
  hitsOf({ body, at, addressOf, agent, language, visitorOf }) {
    const event = parse(body) as Json;
    const name = textOf(event.n ?? event.name);
    const site = textOf(event.d ?? event.domain);
    if (name === "") throw new BadHit("n, the name of the event, is missing");
    if (site === "") throw new BadHit("d, the domain of the site, is missing");
    return [
      {
        name,
        site,
        url: event.u ?? event.url ?? "",
        referrer: event.r ?? event.referrer ?? "",
        props: asText(event.p ?? event.props),
        revenue: event.$ ?? event.revenue ?? {},
        visitor: visitorOf(site),
        time: new Date(at).toISOString(),
        address: addressOf(),
        agent,
        language,
      },
    ];
  },
};

/** An older tracker sends the properties as JSON in a text. */
const asText = (properties: unknown): string =>
  typeof properties === "string" ? properties : JSON.stringify(properties ?? {});
