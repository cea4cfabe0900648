/** Returns the results of work that has begun; after a failure, waits until all has ended, then throws the first. */
export async function sideBySide<T extends readonly unknown[]>(
  begun: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(begun);
  return Promise.all(begun) as unknown as Promise<T>;
}
