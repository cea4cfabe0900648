import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { dataOf, LAB_SOURCE, otherData, repairData, withData } from "../../labs/data.ts";
import { judge, markOn } from "../../labs/judge.ts";
import { isQuestion, LABS_ROOT, readLabs } from "../../labs/lab.ts";
import { readTable } from "../../labs/table.ts";
import { DEMO_DEFAULTS, demoConfig } from "../../warehouse/demo/config.ts";
import { generate } from "../../warehouse/demo/generate.ts";
import { openFresh } from "../../warehouse/demo/workspace.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("labs");
const state = { EVENT_PIPELINE_STATE: join(root, "state") };
const database = join(root, "state/labs");

const lab = (...args: string[]) => pipeline(["lab", ...args], state);
let first: ReturnType<typeof lab>;
beforeAll(() => {
  first = lab("start", "1");
});

const labs = readLabs().filter(isQuestion);
const repairs = readLabs().filter((one) => !isQuestion(one));
const solution = (name: string): string => join(LABS_ROOT, "solutions", `${name}.sql`);

function fileOf(sql: string): string {
  const file = join(root, "answer.sql");
  writeFileSync(file, sql);
  return file;
}

describe("lab start", () => {
  test("creates both datasets, and prints the question and the next command", () => {
    expect(first.status, first.stderr).toBe(0);
    for (const directory of [database, otherData(database)]) {
      expect(existsSync(join(directory, "metadata"))).toBe(true);
      expect(first.stdout).toContain(`${directory}: 7.5 model days of shop`);
    }
    expect(first.stdout).toContain("Lab 1: Sessions per day");
    expect(first.stdout).toMatch(/\.\/pipeline lab check 1 answer\.sql\n$/);
  });

  test("keeps existing data, and makes them the last used workspace", () => {
    const { status, stdout } = lab("start", "2");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\nLab 2: Conversion by device\n/),
    });
    const { stdout: count } = pipeline(
      ["query", "SELECT count() > 1000 FROM dm.session", "--format", "TSV"],
      state,
    );
    expect(count).toBe("1\n");
  });

  test("replaces data of labs with other settings, and refuses other data", async () => {
    const other = join(root, "other");
    const db = await openFresh(other, LAB_SOURCE);
    await generate(db, demoConfig({ ...DEMO_DEFAULTS, days: 1, rate: 2 }), { name: LAB_SOURCE });
    await db.close();
    const { stdout } = lab("start", "1", "--database", other);
    expect(stdout).toContain(`${other}: 7.5 model days of shop`);
    expect(stdout).toContain(`lab check 1 answer.sql --database ${other}`);

    const own = join(root, "own");
    pipeline(["data", "--limit", "10", "--database", own], state);
    const { status, stderr } = lab("start", "1", "--database", own);
    expect(status).toBe(1);
    expect(stderr).toContain("contains other data: load ");
    expect(stderr).toContain(`./pipeline lab start 1 --database ${own}-2`);
  });
});

describe.each(labs)("lab $number", (one) => {
  beforeAll(() => {
    if (one.scenario === undefined) return;
    const { status, stderr } = lab("start", `${one.number}`);
    expect(status, stderr).toBe(0);
  });

  test("the solution is right", () => {
    const { status, stdout } = lab("check", `${one.number}`, solution(one.name));
    expect({ status, stdout }).toEqual({ status: 0, stdout: `Lab ${one.number}: right\n` });
  });

  test("every trap is wrong, with its sentence", async () => {
    const judgements = await withData(dataOf(one, database), (db) =>
      Promise.all(
        one.traps.map(async ({ sql }) =>
          judge(await markOn(db, one, { kind: "statement", file: "trap.sql", sql }), undefined),
        ),
      ),
    );
    expect(judgements.map(({ reasons }) => reasons.at(-1))).toEqual(
      one.traps.map(({ why }) => why),
    );
    for (const { verdict } of judgements) expect(verdict).not.toBe("right");
  });
});

describe("the broken checkout", () => {
  const minute = (at: string) =>
    lab("check", "11", fileOf(`SELECT 'Safari 26' AS browser, '2026-05-07 ${at}' AS broken_since`));

  test("has a time that the data show within 15 minutes", () => {
    lab("start", "11");
    expect(minute("14:07")).toMatchObject({ status: 0 });
    expect(minute("14:30")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(
        "1 of 1 rows differs: browser = Safari 26, broken_since = 2026-05-07 14:30.",
      ),
    });
  });
});

const number = labs.find(({ answer }) => answer.kind === "number");
if (number === undefined) throw new Error("no lab asks for a number");

/** The result of the solution on the learner's data. */
async function expected(): Promise<number> {
  const { rows } = await withData(database, (db) => readTable(db, number?.solution ?? ""));
  return Number(rows[0]?.[0]);
}

describe("lab check", () => {
  const check = (answer: string) => lab("check", `${number.number}`, answer);

  test("a number is right or wrong", async () => {
    const value = await expected();
    expect(check(value.toFixed(4))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/right/),
    });
    expect(check(`${value + 0.1}`)).toEqual({
      status: 1,
      stdout: `Lab ${number.number}: wrong\nResult: the number differs.\n`,
      stderr: "",
    });
  });

  test("a statement with the right number is right for the wrong reason", async () => {
    const { status, stdout } = check(fileOf(`SELECT ${await expected()}`));
    expect(status).toBe(1);
    expect(stdout).toContain(`Lab ${number.number}: right for the wrong reason`);
    expect(stdout).toContain("is wrong on data of another seed: the number differs.");
  });

  test.each([
    ["SELECT nothing FROM dm.session", "The database refused the statement"],
    ["SELECT 1 FORMAT TSV", "does not return rows"],
    ["SELECT 1 AS x, 2 AS y", "returns 1 rows of 2 columns"],
    ["TRUNCATE TABLE dm.session", "The database refused the statement"],
    ["-- nothing", "has no statement"],
  ])("%s is unusable", (sql, message) => {
    const { status, stdout, stderr } = check(fileOf(sql));
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toContain("hint: ");
  });

  test("an unusable call has exit code 2", () => {
    for (const args of [["99", "1"], ["x", "1"], ["1"]]) {
      expect(lab("check", ...args), args.join(" ")).toMatchObject({ status: 2, stdout: "" });
    }
    const missing = lab("check", "1", fileOf("SELECT 1"), "--database", join(root, "none"));
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain("lab start 1 --database");
  });
});

/** The damaged copy of a repair, and the check of its lab. */
function repairOf(name: string) {
  const one = repairs.find((lab) => lab.name === name);
  if (one === undefined) throw new Error(`no repair ${name}`);
  const copy = repairData(one, database);
  return {
    copy,
    number: `${one.number}`,
    run: (...statements: string[]) =>
      withData(copy, async (db) => {
        for (const statement of statements) await db.run(statement);
      }),
    /** Exit code and output of a command on the copy. */
    on: (...args: string[]) => pipeline([...args, "--database", copy], state),
    expectWrong: (reason: RegExp) => {
      const { status, stdout } = lab("check", `${one.number}`);
      expect({ status, stdout }).toEqual({
        status: 1,
        stdout: expect.stringMatching(new RegExp(`: wrong\\nResult: ${reason.source}`)),
      });
    },
  };
}

function started(number: string): void {
  const { status, stderr } = lab("start", number);
  expect(status, stderr).toBe(0);
}

describe.each(repairs)("repair $number", ({ number, name, solution }) => {
  test("by the commands of the solution is right", () => {
    started(`${number}`);
    expect(lab("check", `${number}`).status).toBe(1);
    const { copy } = repairOf(name);
    const commands = [...solution.matchAll(/^\.\/pipeline (.*)$/gm)];
    expect(commands.length).toBeGreaterThan(0);
    for (const [, line = ""] of commands) {
      const args = line.replace(`.state/labs-repair-${number}`, copy).split(" ");
      expect(args).toContain(copy);
      expect(pipeline(args, state).status, line).toBe(0);
    }
    expect(lab("check", `${number}`)).toMatchObject({
      status: 0,
      stdout: `Lab ${number}: right\n`,
    });
  });
});

describe("the interrupted load", () => {
  const { copy, number, run, on, expectWrong } = repairOf("10-interrupted-load");
  beforeAll(() => rmSync(copy, { recursive: true, force: true }));

  test("without its start is unusable", () => {
    const { status, stderr } = lab("check", number);
    expect(status).toBe(2);
    expect(stderr).toContain(`lab start ${number} --database ${database}`);
  });

  test("starts with a copy whose marts are old and whose reconciliation is incomplete", () => {
    const { status, stdout } = lab("start", number);
    expect(status).toBe(0);
    expect(stdout).toContain("  interrupted before dds.click\n");
    expect(stdout).toMatch(/pipeline lab check \d+\n$/);
    expectWrong(/The reconciliation is incomplete: .*load_dds/);
  });

  test("in one layer only is wrong", () => {
    on("step", "load_dds");
    expectWrong(/.* are not in dm yet/);
  });

  test("without raw messages is wrong", async () => {
    await run("DELETE FROM stg.raw WHERE _topic = 'geo_events'");
    on("transform");
    expectWrong(/.*sent and not in stg/);
  });
});

describe("the stopped reader", () => {
  const { number, run, on, expectWrong } = repairOf("13-stopped-reader");
  beforeAll(() => started(number));
  const lost = /.* messages lost or duplicated between stg and ods/;

  test("loses messages without an error of a load", () => {
    expect(on("transform").status).toBe(0);
    expectWrong(lost);
  });

  test("that reads again has still missed messages", () => {
    expect(on("ddl").stdout).toContain("1 views replaced");
    on("transform");
    expectWrong(lost);
  });

  test("that stays stopped is right for the wrong reason", async () => {
    on("ddl", "--rebuild", "ods");
    on("transform");
    const selected = "SELECT * FROM ods.geo_parsed WHERE false";
    await run(`ALTER TABLE ods.geo_event_mv MODIFY QUERY ${selected}`);
    expect(lab("check", number)).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /: right for the wrong reason\nThe rows fit, but ods\.geo_event_mv differs from sql\/ddl/,
      ),
    });
  });
});

describe("the orphan events", () => {
  const { number, run, on, expectWrong } = repairOf("14-orphan-events");
  beforeAll(() => started(number));

  test("stop a load before dm", () => {
    const { status, stderr } = on("transform", "--no-full-refresh");
    expect(status).toBe(1);
    expect(stderr).toMatch(/orphan_events = \d+ of \d+ rows/);
    expectWrong(/.*dds differs in "click_ids/);
  });

  test("are not to be deleted", async () => {
    await run("DELETE FROM dds.event WHERE click_id NOT IN (SELECT click_id FROM dds.click)");
    expect(on("transform", "--no-full-refresh").status).toBe(0);
    expectWrong(/.*dds differs in "typed browser messages/);
  });
});

test("lab hint prints one hint after the other", () => {
  expect(lab("hint", "1").stdout).toMatch(/^Hint 1 of 3: .*\nNext: .* lab hint 1 --hint 2\n$/);
  expect(lab("hint", "1", "--hint", "3").stdout).toMatch(/^Hint 3 of 3: .*\n$/);
});

test("lab list prints number and title", () => {
  expect(lab("list").stdout).toContain("  1  Sessions per day\n");
});
