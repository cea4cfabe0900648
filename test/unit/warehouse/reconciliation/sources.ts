import { emptyStatement } from "../../../../contract/statement.ts";
import type { StreamName } from "../../../../contract/streams.ts";
import type { Source } from "../../../../warehouse/sources/source.ts";

/** A finished load that states this many sent messages of each stream. */
export const source = (
  name: string,
  counts: Partial<Record<StreamName, number>>,
  more: Partial<Source> = {},
): Source => ({
  name,
  statement: { ...emptyStatement(), counts: { ...emptyStatement().counts, ...counts } },
  kind: "load",
  isFinal: true,
  ...more,
});
