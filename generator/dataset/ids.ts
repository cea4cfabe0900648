/** Patterns of ids, which are faster than parsing and also match truncated messages. */
const CLICK_ID = /"click_id"\s*:\s*"([^"\\]+)"/;
const EVENT_ID = /"event_id"\s*:\s*"([^"\\]+)"/;

export const clickIdOf = (line: string): string | null => CLICK_ID.exec(line)?.[1] ?? null;
export const eventIdOf = (line: string): string | null => EVENT_ID.exec(line)?.[1] ?? null;
