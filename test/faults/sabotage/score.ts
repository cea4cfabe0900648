import { renderTable } from "../../../terminal/format.ts";
import type { Sabotage } from "./sabotage.ts";

/** Number of cases of each kind that each check found. */
export class Score {
  readonly #lines = new Map<string, { made: number; found: number }>();

  add({ kind }: Pick<Sabotage, "kind">, isFound: boolean): void {
    const line = this.#lines.get(kind) ?? { made: 0, found: 0 };
    this.#lines.set(kind, { made: line.made + 1, found: line.found + (isFound ? 1 : 0) });
  }

  render(): string {
    const rows = [...this.#lines].map(([kind, { made, found }]) => [kind, made, found]);
    const sum = (column: 1 | 2) => rows.reduce((total, row) => total + Number(row[column]), 0);
    return renderTable(["sabotage", "made", "found"], [...rows, ["all", sum(1), sum(2)]]);
  }
}
