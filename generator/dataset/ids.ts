/**
 * Ids are read by pattern, not by parsing: twice as fast, and a message cut off behind its id still
 * tells whose it is. Quotes inside of JSON text are escaped, so the patterns cannot match there.
 */
const CLICK_ID = /"click_id"\s*:\s*"([^"\\]+)"/;
const EVENT_ID = /"event_id"\s*:\s*"([^"\\]+)"/;

export const clickIdOf = (line: string): string | null => CLICK_ID.exec(line)?.[1] ?? null;
export const eventIdOf = (line: string): string | null => EVENT_ID.exec(line)?.[1] ?? null;
