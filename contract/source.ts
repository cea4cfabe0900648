import { z } from "zod";
import { defectCountsSchema } from "./defects.ts";
import { loadedImportSchema } from "./import-account.ts";
import { type Manifest, manifestSchema } from "./manifest.ts";
import { settingsHistorySchema } from "./settings.ts";
import { emptyStatement, statementOf, statementSchema } from "./statement.ts";

/** What a source says about the messages that it sends in one epoch. */
export const sourceRecordSchema = z.strictObject({
  /** A generator that publishes, a collector of hits, the load of a dataset, a history written into a workspace, or repairs. */
  kind: z.enum(["generator", "collector", "load", "history", "replay"]),
  statement: statementSchema,
  manifest: manifestSchema.optional(),
  /** True if the source will send no more than the statement. */
  isFinal: z.boolean(),
  /** True if the broker lost the state, so that the statement comes from the manifest alone. */
  lacksState: z.literal(true).optional(),
  /** Defects injected so far, if the source continues after its manifest. */
  defects: defectCountsSchema.optional(),
  /** Settings of a generator and their changes after its manifest. */
  settings: settingsHistorySchema.optional(),
  /** What became of the files of an imported dataset. */
  imported: loadedImportSchema.optional(),
  /** How far a collector has delivered its journal: number of the next hit, and digest of the last file. */
  journal: z.strictObject({ next: z.int().nonnegative(), file: z.string() }).optional(),
  /** Command that writes a history again; missing if another program writes it. */
  command: z.string().optional(),
});
export type SourceRecord = z.infer<typeof sourceRecordSchema>;

/** Written with an instance's first batch, so that others find its state; its manifest follows. */
export const announcement = { kind: "generator" } as const;

const withoutState = (manifest?: Manifest): SourceRecord => ({
  ...announcement,
  statement: manifest ? statementOf(manifest) : emptyStatement(),
  manifest,
  isFinal: false,
  lacksState: true,
});

/** Parses a value of the topic `generator_manifest`: of a generator, an announcement or a manifest. */
export const publishedSchema = z.union([
  sourceRecordSchema,
  manifestSchema.transform(withoutState),
  z.strictObject({ kind: z.literal("generator") }).transform(() => withoutState()),
]);

/** Says why a record cannot be parsed. */
export function damageIn(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  return issue ? `${issue.path.join(".") || "value"}: ${issue.message}` : (error as Error).message;
}
