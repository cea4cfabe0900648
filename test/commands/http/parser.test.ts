import type { Session } from "chdb";
import { expect, it } from "vitest";
import { Parser } from "../../../embedded/http/parser.ts";
import type { Processes } from "../../../embedded/http/processes.ts";

const never = new AbortController().signal;

/** A parser, and its queries to an engine that answers after `answer`. */
function parserOf(answer: Promise<void>): { parser: Parser; asked: string[] } {
  const asked: string[] = [];
  const session = {
    queryAsync: async (sql: string) => {
      asked.push(sql);
      await answer;
      return { text: () => "SELECT 1" };
    },
  } as unknown as Session;
  const processes = { connect: () => ({ session, token: "" }) } as unknown as Processes;
  return { parser: new Parser(processes), asked };
}

it("does not parse the statement of a client that left the queue", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { parser, asked } = parserOf(promise);
  const client = new AbortController();
  const first = parser.format("SELECT 1", new Map(), never);
  const gone = parser.format("SELECT 2", new Map(), client.signal);
  const refused = expect(gone).rejects.toThrow("closed the connection");
  client.abort();
  resolve();
  await refused;
  expect(await first).toBe("SELECT 1");
  expect(asked).toHaveLength(1);
});

it.each([
  ["0", "1000000"],
  ["18446744073709551615", "1000000"],
  ["7", "7"],
])("limits max_parser_backtracks = %s to %s", async (asked, used) => {
  const engine = parserOf(Promise.resolve());
  await engine.parser.format("SELECT 1", new Map([["max_parser_backtracks", asked]]), never);
  expect(engine.asked[0]).toContain(`max_parser_backtracks = '${used}'`);
});
