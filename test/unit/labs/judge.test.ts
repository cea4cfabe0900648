import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { UncheckedError } from "../../../contract/errors.ts";
import { parseAnswer, requireColumns } from "../../../labs/answer.ts";
import { judge, markOn } from "../../../labs/judge.ts";
import { isQuestion, type Question, readLabs } from "../../../labs/lab.ts";
import { nearMissOf } from "../../../labs/near-miss.ts";
import { differenceOf, select } from "../../../labs/table.ts";
import { findTruth } from "../../../warehouse/history/truth.ts";
import { useFolder } from "../../support/use-folder.ts";

vi.mock("../../../warehouse/history/truth.ts", () => ({ findTruth: vi.fn() }));

const folder = useFolder("labs");

function labOf(kind: Question["answer"]["kind"]): Question {
  const lab = readLabs()
    .filter(isQuestion)
    .find(({ answer }) => answer.kind === kind);
  if (lab === undefined) throw new Error(`no lab of kind ${kind}`);
  return lab;
}

function fileOf(text: string): string {
  const file = join(folder, "answer.sql");
  writeFileSync(file, text);
  return file;
}

/** Answers with rows by statement; each trap has another result. */
const databaseWith = (results: ReadonlyMap<string, readonly number[][]>, names: string[]) =>
  ({
    read: async (sql: string) => {
      const data = results.get(sql) ?? [names.map(() => -1)];
      return Buffer.from(JSON.stringify({ meta: names.map((name) => ({ name })), data }));
    },
  }) as unknown as Parameters<typeof markOn>[0];

describe("the mark on one dataset", () => {
  const interval = labOf("interval");
  const wanted = interval.answer.kind === "interval" ? interval.answer.truth : undefined;

  const markOf = async (truth: number, rows: readonly number[][]) => {
    const others = { sessions: "any", truth: 0.15 };
    const effects = [
      { ...wanted, ...others },
      { ...wanted, truth },
    ];
    vi.mocked(findTruth).mockResolvedValue({ truth: { effects } } as never);
    const results = new Map([
      [interval.solution, [[0.1, 0.2]]],
      ["answer", rows],
    ]);
    const db = databaseWith(results, ["low", "high"]);
    const answer = { kind: "statement", file: "answer.sql", sql: "answer" } as const;
    return (await markOn(db, interval, answer)).difference;
  };

  const UNUSABLE = "the answer is not one row with low ≤ high";
  const NARROW = "the interval is narrower than these data allow";
  const WIDE = "the interval is wider than necessary";
  const SHIFTED = "the middle of the interval is not what these data show";
  const MISSES = "the interval does not contain what is true";

  test.each<[number, number[][], string | undefined]>([
    [0.15, [[0.1, 0.2]], undefined],
    [0.15, [[0.1035, 0.196]], undefined],
    [0.15, [[0.1035, 0.195]], NARROW],
    [0.15, [[0.0965, 0.204]], undefined],
    [0.15, [[0.0965, 0.205]], WIDE],
    [0.15, [[0.1075, 0.2075]], undefined],
    [0.15, [[0.1085, 0.2085]], SHIFTED],
    [0.15, [[0.0915, 0.1915]], SHIFTED],
    [0.1, [[0.1, 0.2]], undefined],
    [0.2, [[0.1, 0.2]], undefined],
    [0.09, [[0.1, 0.2]], undefined],
    [0.21, [[0.1, 0.2]], undefined],
    [0.2, [[0.0925, 0.1925]], MISSES],
    [0.15, [[0.2, 0.1]], UNUSABLE],
    [0.15, [], UNUSABLE],
    [
      0.15,
      [
        [0.1, 0.2],
        [0.1, 0.2],
      ],
      UNUSABLE,
    ],
  ])("with the truth %d the interval %j: %s", async (truth, rows, difference) => {
    expect(await markOf(truth, rows)).toBe(difference);
  });

  test("names a number that differs, and the traps with its result", async () => {
    const lab = labOf("number");
    const [trap] = lab.traps;
    const results = new Map([
      [lab.solution, [[5]]],
      [trap?.sql ?? "", [[7]]],
    ]);
    const mark = (value: number) =>
      markOn(databaseWith(results, ["x"]), lab, { kind: "number", value });
    expect(await mark(5)).toEqual({ difference: undefined, traps: [] });
    expect(await mark(7)).toEqual({ difference: "the number differs", traps: [trap?.why] });
    expect(await mark(6)).toEqual({ difference: "the number differs", traps: [] });
  });
});

describe("a near miss", () => {
  const shares = labOf("number");
  const exact = { kind: "number", meaning: "share", decimals: 4 } as const;
  const one = (value: number) => ({ columns: ["answer"], rows: [[value]] });

  test.each([
    [30.52, "It is in percent."],
    [30.5, "It is in percent."],
    [31, "It is in percent."],
    [0.31, "It is rounded to 2 decimals. The question asks for 4."],
    [0.6948, "It is the rest to 1"],
    [0.32, undefined],
    [33, undefined],
  ])("of 0.3052 is recognised: %d", (value, sentence) => {
    const found = nearMissOf(one(value), one(0.30519), exact);
    expect(found?.slice(0, sentence?.length)).toBe(sentence);
  });

  test("changes the shares of rows only, not their counts", () => {
    const rows = (...cells: (string | number)[][]) => ({
      columns: ["name", "n", "share"],
      rows: cells,
    });
    const answer = { kind: "rows", columns: {}, decimals: 4 } as const;
    const expected = rows(["a", 200, 0.0512], ["b", 1, 0.25]);
    expect(nearMissOf(rows(["a", 200, 5.12], ["b", 1, 25]), expected, answer)).toMatch(/percent/);
    expect(nearMissOf(rows(["a", 201, 5.12], ["b", 1, 25]), expected, answer)).toBeUndefined();
  });

  test("has the sentence of the trap that it is nearest to", async () => {
    const [trap] = shares.traps;
    const results = new Map([
      [shares.solution, [[0.3052]]],
      [trap?.sql ?? "", [[0.4217]]],
    ]);
    const mark = (value: number) =>
      markOn(databaseWith(results, ["x"]), shares, { kind: "number", value });
    expect((await mark(42.17)).traps).toEqual([expect.stringContaining(`${trap?.why} It is in`)]);
  });
});

describe("the verdict", () => {
  const fits = { difference: undefined, traps: [] };
  const differs = { difference: "the number differs", traps: [] };

  test("is right if the answer fits all data", () => {
    expect(judge(fits, undefined)).toEqual({ verdict: "right", reasons: [] });
    expect(judge(fits, fits)).toEqual({ verdict: "right", reasons: [] });
  });

  test("is wrong with the sentence of the trap", () => {
    expect(judge({ ...differs, traps: ["It counts events.", "It is luck."] }, undefined)).toEqual({
      verdict: "wrong",
      reasons: ["Result: the number differs.", "It counts events."],
    });
    expect(judge(differs, undefined).reasons).toEqual(["Result: the number differs."]);
  });

  test("is right for the wrong reason if the statement is wrong on other data", () => {
    const { verdict, reasons } = judge(fits, { ...differs, traps: ["It is luck."] });
    expect(verdict).toBe("right for the wrong reason");
    expect(reasons.join(" ")).toMatch(/another seed: the number differs\. It is luck\.$/);
  });

  test("is right for the wrong reason if the result is a trap's on all data", () => {
    const lucky = { difference: undefined, traps: ["It is luck."] };
    for (const other of [undefined, lucky]) {
      const { verdict, reasons } = judge(lucky, other);
      expect(verdict).toBe("right for the wrong reason");
      expect(reasons.at(-1)).toBe("It is luck.");
    }
  });

  test("is right if a trap has the same result on some of the data only", () => {
    const lucky = { difference: undefined, traps: ["It is luck."] };
    expect(judge(lucky, fits).verdict).toBe("right");
    expect(judge(fits, lucky).verdict).toBe("right");
    expect(judge(lucky, { ...lucky, traps: ["It counts events."] }).verdict).toBe("right");
  });
});

describe("two tables", () => {
  const table = (...rows: (string | number | null)[][]) => ({ columns: ["day", "sessions"], rows });

  const whole = { decimals: 0 };

  test("are equal in any order of rows, within the decimals", () => {
    const one = table(["a", 0.12341], ["b", 2]);
    const four = { decimals: 4 };
    expect(differenceOf(one, table(["b", 2], ["a", 0.1234]), four)).toBeUndefined();
    expect(differenceOf(one, table(["b", 2], ["a", 0.1233]), four)).toBe(
      "1 of 2 rows differs: day = a, sessions = 0.12341",
    );
    expect(differenceOf(one, table(["b", 2], ["c", 0.1234]), four)).toMatch(
      /^2 of 2 rows differ: /,
    );
  });

  test("differ in the number of rows, in a missing value, and in whole numbers", () => {
    const two = table(["a", 1], ["b", 1]);
    expect(differenceOf(table(["a", 1]), two, whole)).toBe("1 rows instead of 2");
    expect(differenceOf(two, table(["a", 1]), whole)).toBe(
      "2 rows instead of 1: day = b, sessions = 1",
    );
    const one = table(["a", null]);
    const difference = "1 of 1 rows differs: day = a, sessions = null";
    expect(differenceOf(one, table(["a", 0]), whole)).toBe(difference);
    expect(differenceOf(table(["a", 1]), table(["a", 2]), whole)).toMatch(/^1 of 1 rows differs/);
  });

  test("name three of the rows that differ", () => {
    const rows = ["a", "b", "c", "d"];
    const of = (sessions: number) => table(...rows.map((day) => [day, sessions]));
    expect(differenceOf(of(1), of(2), whole)).toBe(
      "4 of 4 rows differ: day = a, sessions = 1; day = b, sessions = 1; day = c, sessions = 1",
    );
  });

  test("have times that may be some minutes apart", () => {
    const of = (day: string) => table([day, 1]);
    const expected = of("2026-05-07 14:04:25.123456");
    const within = { decimals: 0, minutes: { day: 15 } };
    for (const near of ["2026-05-07 13:50", "2026-05-07 14:19:25", "2026-05-07T14:04:00.000"]) {
      expect(differenceOf(of(near), expected, within), near).toBeUndefined();
    }
    for (const far of ["2026-05-07 13:49", "2026-05-07 14:20", "2026-05-07", "14:04", "soon"]) {
      expect(differenceOf(of(far), expected, within), far).toMatch(/^1 of 1 rows differs/);
    }
  });

  test("keep equal keys apart by their numbers", () => {
    const rows = [
      ["a", 2],
      ["a", 1],
    ];
    expect(differenceOf(table(...rows), table(...rows.toReversed()), whole)).toBeUndefined();
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

  test("is refused if it is missing or neither", () => {
    expect(refusal(() => parseAnswer(labOf("rows"), undefined))).toMatch(/needs an answer/);
    const comma = refusal(() => parseAnswer(labOf("number"), "0,3052"));
    expect(comma).toMatch(/^0,3052 is not a number with a decimal point.*lab check \d+ 0\.3052/);
    expect(refusal(() => parseAnswer(labOf("number"), "30.5 %"))).toMatch(/decimal point/);
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
