/** Returns the results of work that has begun; after a failure, waits until all has ended, then throws the first. */
export async function sideBySide<T extends readonly unknown[]>(
  begun: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(begun);
  return Promise.all(begun) as unknown as Promise<T>;
}

export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a function that begins its work when all earlier work has ended, and none after a failure. */
export function takeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result;
    return result;
  };
}
