export interface Token {
  readonly kind: "word" | "quoted" | "string" | "number" | "symbol" | "other";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of brackets around the token. */
  readonly depth: number;
}

/** Patterns of tokens, tried in this order at a position. */
const SPACE = /(?:\s+|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y;
const RULES: readonly (readonly [Token["kind"], RegExp])[] = [
  ["string", /'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|\\?$)/y],
  ["quoted", /`[^`\\]*(?:(?:\\[\s\S]|``)[^`\\]*)*(?:`|\\?$)/y],
  ["quoted", /"[^"\\]*(?:(?:\\[\s\S]|"")[^"\\]*)*(?:"|\\?$)/y],
  ["string", /(\$\w*\$)[\s\S]*?(?:\1|$)/y],
  ["word", /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y],
  ["number", /\d[\w.]*/y],
  ["symbol", /[()[\]{};,.=]/y],
];

/** Yields tokens lazily, so that a reader can stop before the data of an INSERT. */
export function* tokens(sql: string): Generator<Token, void> {
  let depth = 0;
  for (let at = skipSpace(sql, 0); at < sql.length; ) {
    const [kind, end] = match(sql, at);
    const text = sql.slice(at, end);
    if (text === ")" || text === "]" || text === "}") depth = Math.max(0, depth - 1);
    yield { kind, text, start: at, end, depth };
    if (text === "(" || text === "[" || text === "{") depth += 1;
    at = skipSpace(sql, end);
  }
}

export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === "word" && words.includes(token.text.toUpperCase());

function skipSpace(sql: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.test(sql) ? SPACE.lastIndex : at;
}

function match(sql: string, at: number): readonly [Token["kind"], number] {
  for (const [kind, rule] of RULES) {
    rule.lastIndex = at;
    if (rule.test(sql)) return [kind, rule.lastIndex];
  }
  return ["other", at + 1];
}
