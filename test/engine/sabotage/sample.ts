import { createHash } from "node:crypto";
import type { Sabotage } from "./sabotage.ts";

/** Up to so many sabotages of each kind, the same ones for one seed; twice as many changed values. */
export function sampled(all: readonly Sabotage[], ofKind: number, seed: string): Sabotage[] {
  const rank = ({ name }: Sabotage) => createHash("sha256").update(`${seed} ${name}`).digest("hex");
  return [...Map.groupBy(all, ({ kind }) => kind)].flatMap(([kind, list]) =>
    list
      .toSorted((a, b) => rank(a).localeCompare(rank(b)))
      .slice(0, kind === "value changed" ? 2 * ofKind : ofKind),
  );
}
