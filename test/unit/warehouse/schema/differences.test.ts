import { expect, test } from "vitest";
import { readDeclared } from "../../../../warehouse/declared.ts";
import { compareSchema } from "../../../../warehouse/schema/differences.ts";

test.each(["Shared", "Replicated"])(
  "the %s engines of a managed server are those of the DDL",
  (prefix) => {
    const live = readDeclared().map((object) =>
      object.engine.endsWith("MergeTree")
        ? { ...object, engine: `${prefix}${object.engine}` }
        : object,
    );
    expect(compareSchema(live, "all")).toEqual([]);
  },
);
