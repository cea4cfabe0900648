import { sampleOf } from "../../support/sample.ts";
import type { Sabotage } from "./sabotage.ts";

const OF_A_KIND = 2;

/** Some cases of each kind, twice as many changed values; all of them with EXHAUSTIVE=1. */
export const sampled = (all: readonly Sabotage[]): Sabotage[] =>
  [...Map.groupBy(all, ({ kind }) => kind)].flatMap(([kind, list]) =>
    sampleOf(list, kind === "value changed" ? 2 * OF_A_KIND : OF_A_KIND, ({ name }) => name),
  );
