import type { Database } from "../../contract/ports.ts";

/** Tables of earlier versions in dm: commits move, scratch is created empty in dm_internal. */
const MOVED = { from: "dm.load_commit", to: "dm_internal.load_commit" } as const;
const SCRATCH = ["event_enriched_build", "session_build", "dq_summary_build", "work_former"];
/** Replaced by dm.complete_period and dm_internal.v_pipeline_metrics. */
const RETIRED = [
  "dm.finished_history",
  "dm_internal.finished_history_build",
  "dm.v_pipeline_metrics",
];

const LEFT_BEHIND: readonly string[] = [
  MOVED.from,
  ...SCRATCH.map((name) => `dm.${name}`),
  ...RETIRED,
];

/** Moves commits out of dm, or drops them: without commits the next load replaces more rows. */
export async function moveInternals(db: Database): Promise<void> {
  const rows = await db.rows<{ name: string }>(
    `SELECT concat(database, '.', name) AS name FROM system.tables
     WHERE database IN ('dm', 'dm_internal')`,
  );
  const present = new Set(rows.map(({ name }) => name));
  if (present.has(MOVED.from) && !present.has(MOVED.to)) {
    await db.run(`RENAME TABLE ${MOVED.from} TO ${MOVED.to}`);
    present.delete(MOVED.from);
  }
  for (const name of LEFT_BEHIND.filter((left) => present.has(left))) {
    await db.run(`DROP TABLE ${name} SYNC`);
  }
}
