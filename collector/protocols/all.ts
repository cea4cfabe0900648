import { page } from "./page.ts";
import { plausible } from "./plausible.ts";
import { posthog } from "./posthog.ts";
import type { Protocol } from "./protocol.ts";
import { segment } from "./segment.ts";
import { snowplow } from "./snowplow.ts";
import { umami } from "./umami.ts";

export const PROTOCOLS: readonly Protocol[] = [page, snowplow, segment, posthog, plausible, umami];

/** Requests that trackers need answered but that are no hits: settings and flags of PostHog, of Segment's forks. */
export const SETTINGS = /^(GET|POST) \/(array\/[^/]+\/config(\.js)?|flags\/?|decide\/?)$/;
