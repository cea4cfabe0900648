import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { bundleFiles, connectionUri } from "../../../superset/bundle.ts";
import { columnsOf } from "../../../superset/columns.ts";
import { dashboard, dashboardCharts } from "../../../superset/dashboard.ts";
import { datasets } from "../../../superset/datasets.ts";
import { assetId } from "../../../superset/identity.ts";

const ADDRESS = { host: "clickhouse", port: 8123, isSecure: false, user: "bi" };
const files = bundleFiles(ADDRESS);

/** Changed on purpose: vitest --update, then look at the difference. */
describe("what Superset is given", () => {
  test.each([...files])("%s", async (path, text) => {
    await expect(text).toMatchFileSnapshot(`../../golden/superset/${path}`);
  });
});

describe("assets", () => {
  it("cover every view of dm that is made for people, and name no other", () => {
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../../sql/schema.json"), "utf8"),
    ) as { object: string; engine: string }[];
    const views = schema.filter(
      ({ object, engine }) => object.startsWith("dm.") && engine === "View",
    );
    const tables = new Set(datasets.map(({ table }) => `dm.${table}`));
    // Made for the metrics store, in its own form.
    const forPeople = views
      .map(({ object }) => object)
      .filter((n) => n !== "dm.v_pipeline_metrics");
    expect(forPeople.filter((name) => !tables.has(name))).toEqual([]);
  });

  it("have UUIDs of their own, which follow from their keys", () => {
    const uuids = [...files.values()].flatMap((text) => parse(text).uuid ?? []);
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(assetId("database", "marts")).toBe("ba0c561b-4517-503c-8031-aaf8f22f9465");
  });

  it("use only columns and metrics that their dataset has", () => {
    for (const { dataset, query, only, title } of dashboardCharts) {
      const columns = new Set([
        ...columnsOf(dataset.table).map(({ name }) => name),
        ...dataset.calculated.map(({ name }) => name),
      ]);
      const used = query.columns.map((column) =>
        typeof column === "object" && column !== null && "label" in column ? column.label : column,
      );
      for (const column of [...used, ...only.map((condition) => condition.column)]) {
        expect(columns, `${title}: ${column}`).toContain(column);
      }
    }
  });

  it("never name a time without its table: a chart's axis of that name would be taken for it", () => {
    for (const { table, metrics, calculated } of datasets) {
      const times = columnsOf(table).filter(({ isTime }) => isTime);
      for (const { expression } of [...metrics, ...calculated]) {
        for (const { name } of times) {
          expect(expression, table).not.toMatch(new RegExp(`(?<![\\w.])${name}\\b`));
        }
      }
    }
  });

  it("filter nothing by a click: of horizontal bars Superset 6.1 takes the number for the category", () => {
    expect(dashboard.metadata.cross_filters_enabled).toBe(false);
  });

  it("refer to charts of the bundle from every place of the dashboard", () => {
    const charts = [...files.keys()].filter((path) => path.startsWith("charts/"));
    const placed = Object.values(dashboard.position).flatMap((node) =>
      typeof node === "object" && node.type === "CHART" ? [node.meta?.uuid] : [],
    );
    expect(placed.sort()).toEqual(charts.map((path) => parse(files.get(path) ?? "").uuid).sort());
  });
});

describe("the database's address", () => {
  it("has the form that clickhouse-connect registers, with UTC whatever the server's zone", () => {
    expect(connectionUri(ADDRESS)).toBe(
      "clickhousedb://bi:XXXXXXXXXX@clickhouse:8123/dm?session_timezone=UTC",
    );
    const remote = { host: "db.example", port: 8443, isSecure: true, user: "a@b" };
    expect(connectionUri(remote, "p:/@%")).toBe(
      "clickhousedb://a%40b:p%3A%2F%40%25@db.example:8443/dm?session_timezone=UTC&secure=true",
    );
  });

  it("never is the form that fails to load", () => {
    expect([...files.values()].join("\n")).not.toContain("clickhouse+connect");
  });
});
