import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { UncheckedError } from "../../../contract/errors.ts";
import { parseAnswer, requireColumns } from "../../../labs/answer.ts";
import { judge } from "../../../labs/judge.ts";
import { type Lab, readLabs } from "../../../labs/lab.ts";
import { differenceOf, select } from "../../../labs/table.ts";

const folder = mkdtempSync(join(tmpdir(), "labs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function labOf(kind: Lab["answer"]["kind"]): Lab {
  const lab = readLabs().find(({ answer }) => answer.kind === kind);
  if (lab === undefined) throw new Error(`no lab of kind ${kind}`);
  return lab;
}

function fileOf(text: string): string {
  const file = join(folder, "answer.sql");
  writeFileSync(file, text);
  return file;
}

describe("the verdict", () => {
  const fits = { difference: undefined, trap: undefined };

  test("is right if the answer fits all data", () => {
    expect(judge(fits, undefined)).toEqual({ verdict: "right", reasons: [] });
    expect(judge(fits, fits).verdict).toBe("right");
  });

  test("is wrong with the sentence of the trap", () => {
    expect(
      judge({ difference: "7 of 7 rows differ", trap: "It counts events." }, undefined),
    ).toEqual({ verdict: "wrong", reasons: ["Result: 7 of 7 rows differ.", "It counts events."] });
    expect(judge({ difference: "the number differs", trap: undefined }, undefined)).toEqual({
      verdict: "wrong",
      reasons: ["Result: the number differs."],
    });
  });

  test("is right for the wrong reason if the result is a trap's that fits", () => {
    const { verdict, reasons } = judge({ difference: undefined, trap: "It is luck." }, undefined);
    expect(verdict).toBe("right for the wrong reason");
    expect(reasons).toContain("It is luck.");
  });

  test("is right for the wrong reason if the statement is wrong on other data", () => {
    const other = { difference: "the number differs", trap: "It is luck." };
    const { verdict, reasons } = judge(fits, other);
    expect(verdict).toBe("right for the wrong reason");
    expect(reasons.join(" ")).toMatch(/another seed: the number differs\. It is luck\./);
    expect(judge(fits, { ...other, difference: undefined }).verdict).toBe(
      "right for the wrong reason",
    );
  });
});

describe("two tables", () => {
  const table = (...rows: (string | number | null)[][]) => ({ columns: ["day", "sessions"], rows });

  test("are equal in any order of rows, within the decimals", () => {
    const one = table(["a", 0.12341], ["b", 2]);
    expect(differenceOf(one, table(["b", 2], ["a", 0.1234]), 4)).toBeUndefined();
    expect(differenceOf(one, table(["b", 2], ["a", 0.1233]), 4)).toBe("1 of 2 rows differs");
    expect(differenceOf(one, table(["b", 2], ["c", 0.1234]), 4)).toBe("2 of 2 rows differ");
  });

  test("differ in the number of rows, in a missing value, and in whole numbers", () => {
    expect(differenceOf(table(["a", 1]), table(["a", 1], ["b", 1]), 0)).toBe("1 rows instead of 2");
    expect(differenceOf(table(["a", null]), table(["a", 0]), 0)).toBe("1 of 1 rows differs");
    expect(differenceOf(table(["a", 1]), table(["a", 2]), 0)).toBe("1 of 1 rows differs");
  });

  test("keep equal keys apart by their numbers", () => {
    const rows = [
      ["a", 2],
      ["a", 1],
    ];
    expect(differenceOf(table(...rows), table(...rows.toReversed()), 0)).toBeUndefined();
  });

  test("are compared by the names of their columns", () => {
    const given = { columns: ["x", "sessions", "day"], rows: [[0, 1, "a"]] };
    expect(select(given, ["day", "sessions"]).rows).toEqual([["a", 1]]);
  });
});

describe("an answer", () => {
  test.each(["0.25", "-3", "+.5", "1."])("may be the number %s", (given) => {
    expect(parseAnswer(labOf("number"), given)).toEqual({ kind: "number", value: Number(given) });
  });

  test("may be a file with a statement, also for a number", () => {
    const file = fileOf("-- comment\nSELECT 1;\n");
    for (const kind of ["number", "rows"] as const) {
      expect(parseAnswer(labOf(kind), file)).toMatchObject({ kind: "statement", file });
    }
  });

  const refusal = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      if (error instanceof UncheckedError) return `${error.message} (${error.hint})`;
    }
    throw new Error("not refused as unusable");
  };

  test("is refused if it is neither", () => {
    expect(refusal(() => parseAnswer(labOf("rows"), "12"))).toMatch(
      /is a SQL file, not the number/,
    );
    expect(refusal(() => parseAnswer(labOf("rows"), "nofile.sql"))).toMatch(/no file nofile\.sql/);
    expect(refusal(() => parseAnswer(labOf("rows"), folder))).toMatch(/is a folder/);
    expect(refusal(() => parseAnswer(labOf("rows"), fileOf("-- only\n")))).toMatch(/no statement/);
  });

  test("is refused with the names of the missing columns, or without a single number", () => {
    const lab = labOf("rows");
    const table = { columns: ["x"], rows: [["a"]] };
    const [first = ""] = Object.keys(lab.answer.kind === "rows" ? lab.answer.columns : {});
    expect(refusal(() => requireColumns(lab, "a.sql", table))).toMatch(`no column ${first}`);
    const number = labOf("number");
    expect(refusal(() => requireColumns(number, "a.sql", table))).toMatch(/return one number/);
    const two = { columns: ["x"], rows: [[1], [2]] };
    expect(refusal(() => requireColumns(number, "a.sql", two))).toMatch(/returns 2 rows/);
  });
});
