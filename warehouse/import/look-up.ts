/** Returns the value of a key, or of a path into nested objects. */
export function lookUp(values: Readonly<Record<string, unknown>>, column: string): unknown {
  if (Object.hasOwn(values, column)) return values[column];
  return column.split(".").reduce<unknown>((value, key) => {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    return isObject ? (value as Record<string, unknown>)[key] : undefined;
  }, values);
}
