import type { Micros } from "../../contract/time.ts";

/** Item due at a model time; `sequence` orders items due at the same microsecond. */
export interface Timed {
  at: Micros;
  readonly sequence: number;
}

const before = (a: Timed, b: Timed): boolean =>
  a.at < b.at || (a.at === b.at && a.sequence < b.sequence);

/** Binary min-heap by (at, sequence), a total order: insertion order has no effect. */
export class TimeQueue<T extends Timed> {
  readonly #items: T[];

  constructor(items: readonly T[] = []) {
    this.#items = [...items].sort(byTime);
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  get dueAt(): Micros {
    return this.#items[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  push(item: T): void {
    const items = this.#items;
    let hole = items.length;
    items.push(item);
    while (hole > 0) {
      const above = (hole - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !before(item, parent)) break;
      items[hole] = parent;
      hole = above;
    }
    items[hole] = item;
  }

  shift(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  /** Restores the order after the first item was postponed. */
  reorderFirst(): void {
    const first = this.#items[0];
    if (first !== undefined) this.#sink(first);
  }

  toSorted(): T[] {
    return this.#items.toSorted(byTime);
  }

  #sink(item: T): void {
    const items = this.#items;
    let hole = 0;
    for (;;) {
      let below = 2 * hole + 1;
      let child = items[below];
      if (child === undefined) break;
      const sibling = items[below + 1];
      if (sibling !== undefined && before(sibling, child)) {
        child = sibling;
        below += 1;
      }
      if (!before(child, item)) break;
      items[hole] = child;
      hole = below;
    }
    items[hole] = item;
  }
}

const byTime = (a: Timed, b: Timed): number => a.at - b.at || a.sequence - b.sequence;
