import { createHash } from "node:crypto";

/** Namespace of ids that are derived from a user's data; a change would change every id. */
const NAMESPACE = Buffer.from("2f1c1d0e6a5b4c3f8e7d9b0a1c2d3e4f", "hex");

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns a UUID in lower case; makes a stable UUID (version 5) of any other text. */
export const uuidOf = (text: string): string =>
  UUID.test(text) ? text.toLowerCase() : hashedUuid(text);

/** Returns the UUID version 5 of a text (RFC 9562). */
export function hashedUuid(text: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return parts.map(([from, to]) => hex.slice(from, to)).join("-");
}
