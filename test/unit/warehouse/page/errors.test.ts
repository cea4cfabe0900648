import { expect, test } from "vitest";
import { explainError } from "../../../../warehouse/engine/page/errors.js";

/** What ClickHouse answers to a syntax error. */
const syntaxError = (place: string, rest = "Expected one of: FROM, WHERE, end of query.") =>
  `Code: 62. DB::Exception: Syntax error: failed at ${place} ${rest} (SYNTAX_ERROR) (version 26.7.2.1 (official build))`;

/** Explains the error of a statement that is the whole text. */
const explain = (text: string, document: string) =>
  explainError(text, { document, from: 0, to: document.length });

test("a syntax error is one line with line, column and word", () => {
  const document = "SELECT 1,\n  * FROMM WHERE 1";
  expect(explain(syntaxError("position 21 (WHERE) (line 2, col 11): WHERE 1."), document)).toEqual({
    message: "Syntax error at line 2, column 11 near WHERE",
    from: 20,
    to: 25,
  });
});

test("the position counts characters, where ClickHouse counts bytes", () => {
  const document = "SELECT 'für 😀', FROMM numbers(3) x y";
  const bytes = Buffer.byteLength("SELECT 'für 😀', FROMM numbers(3) x ");
  const { message, from } = explain(syntaxError(`position ${bytes + 1} (y): y.`), document);
  expect(from).toBe(document.length - 1);
  expect(message).toBe(`Syntax error at line 1, column ${document.length} near y`);
});

test("the position is one in the editor, if only a selection was run", () => {
  const document = "SELECT 1;\n\nSELECT 2 x y";
  const place = { document, from: 11, to: document.length };
  expect(explainError(syntaxError("position 12 (y): y."), place)).toEqual({
    message: "Syntax error at line 3, column 12 near y",
    from: 22,
    to: 23,
  });
});

test.each([
  ["SELECT (1", "position 8 ((): (1. Unmatched parentheses: (.", "", "Unmatched parentheses: ("],
  [
    "SELECT 1; SELECT 2",
    "position 9 (end of query): ; SELECT 2. .",
    "Multi-statements are not allowed",
    "Multi-statements are not allowed",
  ],
])("%s: the reason follows", (document, place, why, reason) => {
  const text = syntaxError(place, "").replace("error:", why ? `error (${why}):` : "error:");
  expect(explain(text, document).message).toMatch(/^Syntax error at line 1, column \d+.* /);
  expect(explain(text, document).message).toContain(`. ${reason}`);
});

test("a place behind the last character marks the last one", () => {
  const { from, to } = explain(syntaxError("position 11 (end of query): ."), "SELECT 1 +");
  expect([from, to]).toEqual([9, 10]);
});

test("an error does not repeat the statement", () => {
  const text =
    "Code: 47. DB::Exception: Unknown expression identifier `a` in scope SELECT a. FROM t. Maybe you meant: ['b']. (UNKNOWN_IDENTIFIER) (version 26.7.2.1)";
  expect(explain(text, "SELECT a").message).toBe(
    "Unknown expression identifier `a`. Maybe you meant: ['b']. (UNKNOWN_IDENTIFIER)",
  );
});

test("another error has no code, stack or version", () => {
  const text = `Code: 81. DB::Exception: Received from x. DB::Exception: Database nope does not exist. (UNKNOWN_DATABASE), Stack trace (when copying this message, always include the lines below):

0. DB::Exception::Exception() @ 0x1 (version 26.7.2.1)`;
  expect(explain(text, "SELECT * FROM nope.x")).toEqual({
    message: "Received from x. Database nope does not exist. (UNKNOWN_DATABASE)",
  });
  expect(
    explain(
      "Code: 497. DB::Exception: reader: Not enough privileges. (ACCESS_DENIED) (version 26.7.2.1)\n",
      "x",
    ).message,
  ).toBe("reader: Not enough privileges. (ACCESS_DENIED)");
});
