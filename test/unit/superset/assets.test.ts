import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { bundleFiles, connectionUri } from "../../../superset/bundle.ts";
import { columnsOf } from "../../../superset/columns.ts";
import { allCharts, dashboards } from "../../../superset/dashboards/dashboards.ts";
import { datasets } from "../../../superset/datasets.ts";
import { assetId } from "../../../superset/identity.ts";

const ADDRESS = { host: "clickhouse", port: 8123, isSecure: false, user: "bi" };
const files = bundleFiles(ADDRESS);

/** Without a dataset: bounds in one row, and totals that other datasets can filter. */
const WITHOUT_CHARTS = ["dm.complete_period", "dm.v_totals"];

/** After an intended change run `vitest --update` and read the diff. */
describe("Superset's content", () => {
  test.each([...files])("%s", async (path, text) => {
    await expect(text).toMatchFileSnapshot(`../../golden/superset/${path}`);
  });
});

describe("assets", () => {
  it("cover every view of dm for people, and name no other", () => {
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../../sql/schema.json"), "utf8"),
    ) as { object: string; engine: string }[];
    const views = schema.filter(
      ({ object, engine }) => object.startsWith("dm.") && engine === "View",
    );
    const tables = new Set(datasets.map(({ table }) => `dm.${table}`));
    const forPeople = views
      .map(({ object }) => object)
      .filter((name) => !WITHOUT_CHARTS.includes(name));
    expect(forPeople.filter((name) => !tables.has(name))).toEqual([]);
  });

  it("have unique UUIDs that follow from their keys", () => {
    const uuids = [...files.values()].flatMap((text) => parse(text).uuid ?? []);
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(assetId("database", "marts")).toBe("ba0c561b-4517-503c-8031-aaf8f22f9465");
  });

  it("use only columns and metrics of their dataset", () => {
    for (const { dataset, query, only, title } of allCharts) {
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

  it("always qualify a time column, because a chart's axis has the same name", () => {
    for (const { table, metrics, calculated } of datasets) {
      const times = columnsOf(table).filter(({ isTime }) => isTime);
      for (const { expression } of [...metrics, ...calculated]) {
        for (const { name } of times) {
          expect(expression, table).not.toMatch(new RegExp(`(?<![\\w.])${name}\\b`));
        }
      }
    }
  });

  it("filter by click only without horizontal bars, whose number Superset 6.1 uses as the category", () => {
    for (const { slug, charts, asset } of dashboards) {
      const hasHorizontal = charts.some(({ params }) => params.orientation === "horizontal");
      expect(asset.metadata.cross_filters_enabled, slug).toBe(!hasHorizontal);
    }
  });

  it("refer to the bundle's charts in every component of the dashboards", () => {
    const charts = [...files.keys()].filter((path) => path.startsWith("charts/"));
    const nodes = dashboards.flatMap(({ asset }) => Object.values(asset.position));
    const placed = nodes.flatMap((node) =>
      typeof node === "object" && node.type === "CHART" ? [node.meta?.uuid] : [],
    );
    expect(placed.sort()).toEqual(charts.map((path) => parse(files.get(path) ?? "").uuid).sort());
  });
});

describe("the database's address", () => {
  it("has clickhouse-connect's form, with UTC in every time zone of the server", () => {
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
