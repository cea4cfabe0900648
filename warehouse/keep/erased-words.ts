import { literal } from "../sql.ts";

/** Words of JSON, and of any other text. */
const WORDS = [String.raw`[^"\s,:{}\[\]\\]+`, String.raw`[^"'\s,;:|=&?{}\[\]\\()<>]+`];

/**
 * Returns a SELECT of the keys of texts with the id of an erased visitor, who has no site there.
 * @param hashes table of the keyed hashes
 * @param secret SELECT of their key
 */
export function keysOfErasedTexts(
  { key, text, from }: { readonly key: string; readonly text: string; readonly from: string },
  { hashes, secret }: { readonly hashes: string; readonly secret: string },
): string {
  const words = WORDS.map((pattern) => `extractAll(${text}, ${literal(pattern)})`);
  return `SELECT ${key} FROM (SELECT ${key}, arrayJoin(arrayConcat(${words.join(", ")})) AS word FROM ${from})
    WHERE sipHash128Keyed((${secret}), concat('\\0', word)) IN ${hashes}
      OR sipHash128Keyed((${secret}), lower(word)) IN ${hashes}`;
}
