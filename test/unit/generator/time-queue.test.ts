import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Timed, TimeQueue } from "../../../generator/model/time-queue.ts";

const times = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
const timed = (at: number, sequence: number): Timed => ({ at, sequence });
const inOrder = (items: readonly Timed[]) =>
  items.toSorted((a, b) => a.at - b.at || a.sequence - b.sequence);

function drain(queue: TimeQueue<Timed>): Timed[] {
  const items: Timed[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe("TimeQueue", () => {
  it("returns items by time, then sequence", () => {
    fc.assert(
      fc.property(times, times, (given, pushed) => {
        const queue = new TimeQueue(given.map(timed));
        pushed.forEach((at, i) => {
          queue.push(timed(at, given.length + i));
        });
        const all = [...given, ...pushed].map(timed);
        expect(queue.toSorted()).toEqual(inOrder(all));
        expect(queue.size).toBe(all.length);
        expect(drain(queue)).toEqual(inOrder(all));
        expect(queue.dueAt).toBe(Number.POSITIVE_INFINITY);
      }),
    );
  });

  it("stays in order when the first item is postponed", () => {
    fc.assert(
      fc.property(times, fc.array(fc.integer({ min: 0, max: 9 })), (given, delays) => {
        const queue = new TimeQueue(given.map(timed));
        for (const delay of delays) {
          const { first } = queue;
          if (first) first.at += delay;
          queue.reorderFirst();
          expect(queue.first).toEqual(queue.toSorted()[0]);
        }
        const left = queue.toSorted();
        expect(drain(queue)).toEqual(left);
      }),
    );
  });
});
