import { expect, test } from "vitest";
import { emptyStatement } from "../../../../contract/statement.ts";
import { cleanRecord } from "../../../../generator/operations/record.ts";
import { generatorOf } from "../../../../warehouse/reconciliation/broker-sources.ts";

test("a generator whose state the broker has lost stays a source", () => {
  const statement = emptyStatement();
  expect(generatorOf("dev", undefined, undefined)).toEqual({
    ...{ name: "generator dev", manifest: undefined, statement },
    ...{ isFinal: false, lacksState: true },
  });
  const state = JSON.stringify({ ...cleanRecord(), statement });
  expect(generatorOf("dev", undefined, state)).not.toHaveProperty("lacksState");
});
