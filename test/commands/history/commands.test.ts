import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openWorkspace } from "../../../warehouse/database/open.ts";
import { applyDdl } from "../../../warehouse/schema/ddl.ts";
import { pipeline } from "../../support/cli.ts";
import { faultsOf } from "../../support/markup.ts";
import { useFolder } from "../../support/use-folder.ts";
import { makeHistory, reload } from "./generate.ts";

const root = useFolder("history");
const database = join(root, "data");
beforeAll(async () => {
  const db = await openWorkspace(database);
  await applyDdl(db, "all");
  const { backfill, manifest } = await makeHistory();
  await reload(db, backfill, manifest);
  await db.close();
});

const check = (env: Record<string, string>, ...more: string[]) =>
  pipeline(["history-check", "--database", database, ...more], env);

test("history-check prints each check, and succeeds only if none fails", () => {
  const backfillOnly = check({ CHECK_LIVE_SEAM: "0" });
  expect(backfillOnly.status).toBe(0);
  expect(backfillOnly.stdout).toMatch(/^ {2}ok {11}manifest /m);
  expect(backfillOnly.stdout).toMatch(/^\d+ checks: \d+ ok, 0 failed, 0 not checked\.$/m);
  const withHandover = check({ CHECK_LIVE_SEAM: "1" });
  expect(withHandover.status).toBe(1);
  expect(withHandover.stdout).toMatch(/^ {2}failed {7}live handover /m);
  expect(withHandover.stderr).toContain("history checks failed: live handover");
  expect(withHandover.stderr).toMatch(/hint: run `make generator-up` .* wait 5 min/);
});

test("history-check --json prints only JSON", () => {
  const { stdout, status } = check({ CHECK_LIVE_SEAM: "0" }, "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ id: "funnel narrows", status: "ok" }),
  );
});

test("values other than 0 and 1 are refused before the database is opened", () => {
  const { stderr, stdout, status } = check({ CHECK_LIVE_SEAM: "true" });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toContain("CHECK_LIVE_SEAM=true is not valid. Allowed: 1");
});

test("history-analytics writes tables and JSON", () => {
  const text = pipeline(["history-analytics", "--database", database]);
  expect(text.status).toBe(0);
  expect(text.stdout).toContain("day (UTC)");
  expect(text.stdout).not.toContain("does not confirm");
  const json = pipeline(["history-analytics", "--database", database, "--json"]);
  expect(JSON.parse(json.stdout).wave).toHaveLength(2);
});

test("report writes a page of the workspace", () => {
  const file = join(root, "page.html");
  const { status, stdout } = pipeline(["report", "--database", database, "--out", file]);
  expect(stdout).toBe(`Open ${file} in a browser.\n`);
  expect(status).toBe(0);
  expect(faultsOf(readFileSync(file, "utf8"))).toEqual([]);
});

test("follow prints one session, chosen or named, as text and as JSON", () => {
  const follow = (...more: string[]) => pipeline(["follow", "--database", database, ...more]);
  const { clickId } = JSON.parse(follow("--json").stdout);
  expect(follow("--click", clickId).stdout).toContain(`Session ${clickId}`);
  const unknown = follow("--click", "00000000-0000-4000-8000-000000000000");
  expect(unknown.status).toBe(1);
  expect(unknown.stderr).toContain("hint: run `./pipeline follow --database ");
});
