import { expect, test } from "vitest";
import { DATA_TESTS, type Tested } from "../../../contract/data-tests.ts";
import { dataTests } from "../../../warehouse/data-tests.ts";
import { columnsOf, readDeclared } from "../../../warehouse/declared.ts";

const tables = readDeclared()
  .filter(({ engine, object }) => engine === "MergeTree" && /^(dds|dm)\./.test(object))
  .map(({ object }) => object as Tested);

test("every table of dds and dm, and no other, has data tests", () => {
  expect(tables.length).toBeGreaterThan(5);
  expect(Object.keys(DATA_TESTS).sort()).toEqual([...tables].sort());
  for (const table of tables) {
    expect(dataTests().map((one) => one.table)).toContain(table);
  }
});

const typeOf = (table: string, column: string) =>
  columnsOf(table).find(({ name }) => name === column)?.type;

const plainTypeOf = (table: string, column: string) =>
  typeOf(table, column)?.replace(/^Nullable\((.*)\)$/, "$1");

test.each(dataTests())("$name tests columns that exist", ({ table, column }) => {
  expect(typeOf(table, column)).toBeDefined();
  const { to, field } = DATA_TESTS[table]?.[column]?.relationships ?? {};
  if (to !== undefined) expect(plainTypeOf(to, field ?? "")).toBe(plainTypeOf(table, column));
});

test("not_null is declared only for types whose empty value means absent", () => {
  const types = dataTests()
    .filter(({ kind }) => kind === "not_null")
    .map(({ table, column }) => typeOf(table, column));
  for (const type of types) expect(type).toMatch(/UUID|String|Date/);
});

test("every kind is used, and every test has its own name", () => {
  const names = dataTests().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(dataTests().map(({ kind }) => kind))).toEqual(
    new Set(["unique", "not_null", "accepted_values", "relationships"]),
  );
});
