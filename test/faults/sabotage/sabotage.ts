import type { Database } from "../../../contract/ports.ts";
import type { Layer } from "../../../warehouse/reconciliation/reconciliation.ts";

export type Check = "prove" | "deep";

/** One way to damage a finished warehouse. */
export interface Sabotage {
  readonly kind: string;
  readonly name: string;
  /** The damaged layer, which a check must name. */
  readonly layer: Layer;
  /** The checks that should find it. */
  readonly foundBy: readonly Check[];
  /** The layers above depend on the damaged one, so the deep check may name them, too. */
  readonly spreads?: true;
  /** Tables to restore afterwards. */
  readonly touches: readonly string[] | "all";
  run(db: Database): Promise<void>;
}

/** Runs statements one after another. */
export const statements =
  (...list: readonly string[]) =>
  async (db: Database): Promise<void> => {
    for (const sql of list) await db.run(sql);
  };
