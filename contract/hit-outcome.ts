/** What became of a hit. */
export interface HitOutcome {
  readonly number: number;
  readonly protocol: string;
  /** Text of the time, UTC. */
  readonly received: string;
  readonly is_bad: boolean;
  /** Why it is bad, or why a good hit is no event; empty for an event. */
  readonly reason: string;
  readonly body: string;
  /** Messages of the streams browser and location as JSON; empty without an event. */
  readonly event: string;
  readonly location: string;
}
