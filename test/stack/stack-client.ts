import assert from "node:assert/strict";
import { pipelineAsync } from "../support/cli.ts";
import type { PlainStack } from "./plain-pulumi.ts";

/** Returns a function that prints a line with the seconds since this call. */
export function stepLog(): (text: string) => void {
  const started = performance.now();
  return (text) =>
    console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${text}`);
}

/** Returns the text at an address; empty if nothing answers. */
export const textAt = (url: string): Promise<string> =>
  fetch(url).then(
    (response) => response.text(),
    () => "",
  );

/** Runs a query as the database's administrator. */
export async function query(stack: PlainStack, sql: string): Promise<string> {
  const { client } = stack.outputs();
  const headers = {
    connection: "close",
    "X-ClickHouse-User": "default",
    "X-ClickHouse-Key": client.CLICKHOUSE_PASSWORD ?? "",
  };
  const url = `${client.CLICKHOUSE_URL}/?query=${encodeURIComponent(sql)}`;
  const response = await fetch(url, { headers });
  return (await response.text()).trim();
}

/** Runs a command of the pipeline on the stack. Returns its last line. @throws Error if it fails */
export async function pipeline(
  stack: PlainStack,
  command: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const { KAFKA_BOOTSTRAP_SERVERS, CLICKHOUSE_URL, CLICKHOUSE_PASSWORD } = stack.outputs().client;
  const { status, stdout, stderr } = await pipelineAsync(command, {
    KAFKA_BOOTSTRAP_SERVERS,
    ...environment,
    CLICKHOUSE_URL,
    CLICKHOUSE_PASSWORD,
  });
  assert.equal(status, 0, `${command.join(" ")}:\n${stdout}${stderr}`);
  return stdout.trim().split("\n").at(-1) ?? "";
}
