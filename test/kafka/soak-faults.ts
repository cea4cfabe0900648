export type Fault =
  | "kill in backfill"
  | "kill live"
  | "broker restart"
  | "broker stop"
  | "engine restart";
export type Mode = "backfill" | "live";

/** Numbers of faults. Half of each kind occur during the backfill, half in live mode. */
export interface FaultCounts {
  /** Number of generator kills. */
  readonly kills: number;
  /** Number of brokers killed and started again. */
  readonly brokerRestarts: number;
  /** Number of brokers stopped in order and started again; default 0. */
  readonly brokerStops?: number;
  readonly engineRestarts: number;
}

/**
 * Returns the faults of one half, in random order.
 * @param random uniform in [0, 1)
 */
export function shuffledFaults(counts: FaultCounts, mode: Mode, random: () => number): Fault[] {
  const half = (count: number) => (mode === "live" ? Math.ceil(count / 2) : Math.floor(count / 2));
  const faults: Fault[] = [
    ...Array<Fault>(half(counts.kills)).fill(mode === "live" ? "kill live" : "kill in backfill"),
    ...Array<Fault>(half(counts.brokerRestarts)).fill("broker restart"),
    ...Array<Fault>(half(counts.brokerStops ?? 0)).fill("broker stop"),
    ...Array<Fault>(half(counts.engineRestarts)).fill("engine restart"),
  ];
  return faults
    .map((fault) => ({ fault, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ fault }) => fault);
}
