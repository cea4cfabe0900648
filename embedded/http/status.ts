/** HTTP status by error number, as in ClickHouse; 500 for all others. */
const STATUS_OF: ReadonlyMap<number, number> = new Map([
  ...[
    6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441,
    675, 676,
  ].map((code) => [code, 400] as const),
  [194, 401],
  ...[192, 193, 497, 512, 516].map((code) => [code, 403] as const),
  ...[46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511].map((code) => [code, 404] as const),
  [159, 408],
  [381, 411],
  [229, 413],
  [779, 415],
  [48, 501],
  ...[76, 209, 439].map((code) => [code, 503] as const),
]);

export const httpStatus = (code: number): number => STATUS_OF.get(code) ?? 500;
