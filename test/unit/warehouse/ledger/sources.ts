import { noStatement } from "../../../../contract/statement.ts";
import type { StreamName } from "../../../../contract/streams.ts";
import type { Source } from "../../../../warehouse/ledger/source.ts";

/** A source that says it sent so many messages of each stream. */
export const source = (
  name: string,
  counts: Partial<Record<StreamName, number>>,
  more: Partial<Source> = {},
): Source => ({
  name,
  statement: { ...noStatement(), counts: { ...noStatement().counts, ...counts } },
  manifest: undefined,
  ...more,
});
