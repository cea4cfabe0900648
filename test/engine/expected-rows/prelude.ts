import { withPrelude } from "../../../warehouse/reconciliation/deep/digest.ts";
import {
  clickPrelude,
  dmPrelude,
  eventPrelude,
} from "../../../warehouse/reconciliation/deep/sources.ts";

const PROVED = { ods: true, dds: true };
const NONE_EXPIRED = { browser: "false", location: "false", device: "false", geo: "false" };

/**
 * Sources that the deep check puts before its rules of dds and dm: messages of ods, or tables of
 * dds.
 */
const PRELUDES: Readonly<Record<string, string>> = {
  "checks/deep/event.sql": eventPrelude(PROVED, NONE_EXPIRED),
  "checks/deep/click.sql": clickPrelude(PROVED, NONE_EXPIRED),
  "checks/deep/event_enriched.sql": dmPrelude(PROVED, NONE_EXPIRED),
  "checks/deep/session.sql": dmPrelude(PROVED, NONE_EXPIRED),
  "checks/deep/page_view.sql": dmPrelude(PROVED, NONE_EXPIRED),
  "checks/deep/visitor.sql": "session AS (SELECT * FROM dm.session)",
};

/** A query of a file as it runs in the deep check. */
export const withPreludeOf = (file: string, query: string): string => {
  const prelude = PRELUDES[file];
  return prelude === undefined ? query : `${withPrelude(prelude)}SELECT * FROM (${query})`;
};
