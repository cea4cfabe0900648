import { expect, test } from "vitest";
import { ddlFilesOf, stagesOf } from "../../../../warehouse/schema/ddl.ts";

/** A sequence names its objects when it creates, reads or changes them. */
const objectsIn = (statements: readonly string[]): string[] =>
  statements
    .flatMap((statement) => statement.replace(/COMMENT\s+'(?:[^'\\]|\\.)*'/g, "").split("\n"))
    .filter((line) => !line.startsWith("--"))
    .flatMap((line) => line.match(/\b(?:stg|ods|dds|dm|dm_internal)\.\w+/g) ?? []);

const createdIn = (statements: readonly string[]): string[] =>
  statements.flatMap((one) => /^CREATE [A-Z ]+ IF NOT EXISTS (\S+\.\S+)/m.exec(one)?.[1] ?? []);

test.each(["all", "broker", "service"] as const)(
  "statements that run side by side name no object that another of them creates, in tier %s",
  (tier) => {
    for (const stage of stagesOf(ddlFilesOf(tier))) {
      const created = stage.map(createdIn);
      const conflicts = stage.flatMap((statements, at) => {
        const others = new Set(created.toSpliced(at, 1).flat());
        return objectsIn(statements).filter((object) => others.has(object));
      });
      expect(conflicts).toEqual([]);
    }
  },
);
