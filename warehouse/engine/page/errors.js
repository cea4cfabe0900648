const SYNTAX =
  /Syntax error(?: \((?<why>.*?)\))?: failed at position (?<position>\d+)(?: \((?<token>.*?)\)(?=:| \(line))?/s;

/**
 * Makes one line of an error of ClickHouse, with the place of a syntax error in the editor.
 * @param {string} text
 * @param {{ document: string, from: number, to: number }} place of the statement in the editor
 * @returns {{ message: string, from?: number, to?: number }}
 */
export function explainError(text, { document, from, to }) {
  const message = withoutNoise(text);
  const found = SYNTAX.exec(message)?.groups;
  if (!found) return { message };
  const { why, position, token = "" } = found;
  const place = from + offsetOf(document.slice(from, to), Number(position));
  // ClickHouse may name a place after the last character, where nothing can be marked.
  const start = Math.max(from, Math.min(place, to - 1));
  const isToken = token !== "" && document.startsWith(token, start);
  const lines = document.slice(0, start).split("\n");
  const reason =
    why ?? /^(.*?): Syntax error/s.exec(message)?.[1] ?? /Unmatched [^.]*/.exec(message)?.[0];
  return {
    message: [
      `Syntax error at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`,
      isToken ? ` near ${token.split("\n")[0]}` : "",
      reason ? `. ${reason}` : "",
    ].join(""),
    from: start,
    to: start + (isToken ? token.length : 1),
  };
}

const withoutNoise = (text) =>
  text
    .replace(/,? ?Stack trace .*$/s, "")
    .replace(/\s*\(version [^\n]*\)\s*$/, "")
    .replace(/^Code: \d+\. /, "")
    .replaceAll("DB::Exception: ", "")
    // The scope repeats the statement.
    .replace(/ in scope .*?(?=\. (Maybe you meant|\([A-Z_]+\)$))/s, "")
    .trim();

/** Returns the offset of the n-th byte, which ClickHouse counts. */
const offsetOf = (sql, n) =>
  new TextDecoder().decode(new TextEncoder().encode(sql).slice(0, n - 1)).length;
