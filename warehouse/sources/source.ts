import type { Manifest } from "../../contract/manifest.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { addStatements, type Statement, statementOf } from "../../contract/statement.ts";

/** Who sent messages, by a name that is unique in its epoch. */
export interface Source extends SourceRecord {
  readonly name: string;
}

export const isGenerator = ({ kind }: Source): boolean => kind === "generator";

/** True for loads that did not end; a generator or a collector continues. */
export const isUnfinishedLoad = (source: Source): boolean =>
  !source.isFinal && !isGenerator(source) && source.kind !== "collector";

export const mayHaveSentMore = ({ isFinal }: Source): boolean => !isFinal;

export const sentBy = (sources: readonly Source[]): Statement =>
  addStatements(sources.map(({ statement }) => statement));

export const finishedHistory = (name: string, manifest: Manifest): Source => ({
  name,
  kind: "history",
  statement: statementOf(manifest),
  manifest,
  isFinal: true,
});
