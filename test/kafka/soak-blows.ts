export type Blow = "kill in backfill" | "kill live" | "broker restart" | "engine restart";
export type Mode = "backfill" | "live";

/** Half of each falls in the backfill and half while the generator is live. */
export interface BlowCounts {
  /** Times the generator is killed. */
  readonly kills: number;
  readonly brokerRestarts: number;
  readonly engineRestarts: number;
}

/**
 * The blows of one half, in random order.
 * @param random uniform in [0, 1)
 */
export function shuffledBlows(counts: BlowCounts, mode: Mode, random: () => number): Blow[] {
  const half = (count: number) => (mode === "live" ? Math.ceil(count / 2) : Math.floor(count / 2));
  const blows: Blow[] = [
    ...Array<Blow>(half(counts.kills)).fill(mode === "live" ? "kill live" : "kill in backfill"),
    ...Array<Blow>(half(counts.brokerRestarts)).fill("broker restart"),
    ...Array<Blow>(half(counts.engineRestarts)).fill("engine restart"),
  ];
  return blows
    .map((blow) => ({ blow, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ blow }) => blow);
}
