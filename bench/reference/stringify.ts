/** Measures JSON serialisation, the minimum work of a generator, seconds. */
export function timeStringify(objects: readonly object[]): number {
  const start = performance.now();
  const texts: string[] = [];
  for (const object of objects) texts.push(JSON.stringify(object));
  const seconds = (performance.now() - start) / 1000;
  if (texts.length !== objects.length)
    throw new Error("unreachable; prevents removal of the texts");
  return seconds;
}
