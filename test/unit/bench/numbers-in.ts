/** All numbers in a structure, in order. */
export const numbersIn = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : Object.values(value instanceof Object ? value : {}).flatMap(numbersIn);
