import { z } from "zod";

const count = z.int().nonnegative();

/**
 * What became of the rows of imported files:
 * rows + further = events + equal + repeated + rejected + skipped.
 */
export const importAccountSchema = z.strictObject({
  /** Name of the dataset. */
  name: z.string(),
  files: z.array(z.strictObject({ path: z.string(), rows: count })),
  events: count,
  /** Rows that equal an earlier one. */
  equal: count,
  /** Rows with an event id that an earlier, different row has. */
  repeated: count,
  /** Further events of a row that gives several. */
  further: count,
  /** Rows by the reason why they are no event. */
  rejected: z.record(z.string(), count),
  /** Rows by the reason of the source to leave them out. */
  skipped: z.record(z.string(), count),
  /** When the messages were written as a whole; an append that only adds lines keeps it. Missing for a collector. */
  written_at: z.iso.datetime().optional(),
});
export type ImportAccount = z.infer<typeof importAccountSchema>;

/** An import that was loaded, with the folder of its dataset. */
export const loadedImportSchema = importAccountSchema.extend({ dir: z.string() });
export type LoadedImport = z.infer<typeof loadedImportSchema>;

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

export const rowsOf = ({ files }: ImportAccount): number => sum(files.map(({ rows }) => rows));

/** Rows that the account does not explain; 0 if it is complete. */
export const unexplainedRows = (account: ImportAccount): number =>
  rowsOf(account) +
  account.further -
  account.events -
  account.equal -
  account.repeated -
  sum(Object.values(account.rejected)) -
  sum(Object.values(account.skipped));
