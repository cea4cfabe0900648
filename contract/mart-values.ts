/** Values of dm.session.clock, whose meaning is in mart-columns.ts. */
export const CLOCKS = ["right", "ahead"] as const;

/** Values of dm.session.channel, as sql/etl/load_dm/sessions.sql computes them. */
export const CHANNELS = [
  ...["paid search", "paid social", "email", "affiliate", "other campaign"],
  ...["organic search", "organic social", "referral", "direct", "other", "unknown"],
] as const;

/** Values of dm.dq_summary.metric beside the markers. */
export const COUNTED = [
  ...["rows", "typed", "rejected"],
  ...["duplicates", "superseded", "orphan_events"],
] as const;
