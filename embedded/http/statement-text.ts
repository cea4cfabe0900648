import { isUtf8 } from "node:buffer";
import { type Token, tokens } from "./lexer.ts";
import { quoted } from "./parameters.ts";

/** Converts a statement to UTF-8; other bytes become escapes such as `\xFF` of the same value. */
export function statementText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  // latin1 has one character per byte, so that no byte is lost.
  const text = bytes.toString("latin1");
  const parts: string[] = [];
  let from = 0;
  for (const token of tokens(text)) {
    parts.push(utf8(text.slice(from, token.start)), escaped(token));
    from = token.end;
  }
  return parts.join("") + utf8(text.slice(from));
}

const utf8 = (latin1: string): string => Buffer.from(latin1, "latin1").toString("utf8");

const NOT_ASCII = /[\u0080-\u00ff]/g;

function escaped({ kind, text }: Token): string {
  const heredoc = /^\$\w*\$/.exec(text)?.[0];
  const isQuoted = kind === "string" || kind === "quoted";
  if (!isQuoted || isUtf8(Buffer.from(text, "latin1"))) return utf8(text);
  // A heredoc has no escapes, so the text becomes an ordinary literal.
  const literal = heredoc ? quoted(text.slice(heredoc.length, -heredoc.length)) : text;
  return literal.replace(NOT_ASCII, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** Returns the query as bytes, because URLSearchParams replaces invalid UTF-8. */
export function queryInAddress(address: string): Buffer {
  const search = address.slice(address.indexOf("?") + 1 || address.length);
  for (const part of search.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (decoded(name) === "query") return Buffer.from(decoded(value.join("=")), "latin1");
  }
  return Buffer.alloc(0);
}

const decoded = (text: string): string =>
  text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
