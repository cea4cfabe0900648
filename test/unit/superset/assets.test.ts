import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { bundleFiles, connectionUri } from "../../../superset/bundle.ts";
import { columnsOf } from "../../../superset/columns.ts";
import type { Dashboard } from "../../../superset/dashboards/dashboard.ts";
import { allCharts, dashboards } from "../../../superset/dashboards/dashboards.ts";
import { datasets } from "../../../superset/datasets.ts";
import { assetId } from "../../../superset/identity.ts";
import type { Chart } from "../../../superset/model.ts";
import { readDeclared } from "../../../warehouse/declared.ts";
import { shortYaml } from "../../support/short-yaml.ts";

const ADDRESS = { host: "clickhouse", port: 8123, isSecure: false, user: "bi" };
const files = bundleFiles(ADDRESS);

const schema = readDeclared();

/** Without a dataset: totals that other datasets can filter. */
const WITHOUT_CHARTS = ["dm.v_totals"];

/** Assets in the form that is sent: one of each kind, and both kinds of conditions of a chart. */
const EXAMPLES = [
  "metadata.yaml",
  "databases/marts.yaml",
  "datasets/marts/dq_summary.yaml",
  "charts/markers.yaml",
  "charts/campaign_results.yaml",
];

/**
 * Goldens of what a person decides: charts and dashboards. What the other files add to the examples
 * derives from the schema, the contract and the keys, and the tests below check it. After an
 * intended change run `vitest --update` and read the diff.
 */
describe("Superset's content", () => {
  test.each(EXAMPLES)("%s, as it is sent", async (path) => {
    await expect(files.get(path)).toMatchFileSnapshot(`../../golden/superset/${path}`);
  });

  test.each(dashboards.map((one) => [one.slug, one] as const))("%s", async (slug, one) => {
    const text = shortYaml({
      ...page(one),
      charts: Object.fromEntries(one.charts.map(({ key, ...chart }) => [key, inShort(chart)])),
    });
    await expect(text).toMatchFileSnapshot(`../../golden/superset/${slug}.yaml`);
  });
});

const inShort = ({ dataset, ...chart }: Omit<Chart, "key">) => ({
  dataset: dataset.table,
  ...chart,
});

/** The dashboard with names of charts for their numbers, and one line per header and row. */
function page({ asset, charts }: Dashboard) {
  const { position, metadata, ...others } = asset;
  const nodes = new Map(nodesOf(position).map((node) => [node.id, node]));
  const below = (id: string) => (nodes.get(id)?.children ?? []).flatMap((c) => nodes.get(c) ?? []);
  const size = ({ id, meta }: Node) => `${id} ${meta?.width} x ${meta?.height}`;
  return {
    ...others,
    metadata: JSON.parse(
      JSON.stringify(metadata, (key, value) =>
        key === "excluded" ? value.map((id: number) => charts[-1 - id]?.key) : value,
      ),
    ),
    layout: below("GRID_ID").map((line) => line.meta?.text ?? below(line.id).map(size)),
  };
}

type Node = Exclude<Dashboard["asset"]["position"][string], string>;
const nodesOf = (position: Dashboard["asset"]["position"]): Node[] =>
  Object.values(position).flatMap((node) => (typeof node === "object" ? [node] : []));

describe("assets", () => {
  it("cover every view of dm for people, and name no other", () => {
    const views = schema.filter(
      ({ object, engine }) => object.startsWith("dm.") && engine === "View",
    );
    const tables = new Set(datasets.map(({ table }) => `dm.${table}`));
    const forPeople = views
      .map(({ object }) => object)
      .filter((name) => !WITHOUT_CHARTS.includes(name));
    expect(forPeople.filter((name) => !tables.has(name))).toEqual([]);
  });

  it.each(datasets)("describe every column of dm.$table with its type", ({ table, calculated }) => {
    const { columns } = parse(files.get(`datasets/marts/${table}.yaml`) ?? "") as {
      columns: { column_name: string; type: string; description: string }[];
    };
    const recorded = schema.find(({ object }) => object === `dm.${table}`)?.columns ?? [];
    const stored = columns.slice(0, -calculated.length || undefined);
    expect(stored).toHaveLength(recorded.length);
    for (const [index, text] of recorded.entries()) {
      const { column_name, type, description } = stored[index] ?? {};
      expect(`${text} `).toContain(`${column_name} ${type} `);
      expect(text.startsWith(`${column_name} `), text).toBe(true);
      expect(description, text).toMatch(/\w/);
    }
    expect(columns.slice(stored.length).map(({ column_name }) => column_name)).toEqual(
      calculated.map(({ name }) => name),
    );
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
    const nodes = dashboards.flatMap(({ asset }) => nodesOf(asset.position));
    const placed = nodes.flatMap(({ type, meta }) => (type === "CHART" ? [meta?.uuid] : []));
    expect(placed.sort()).toEqual(charts.map((path) => parse(files.get(path) ?? "").uuid).sort());
  });
});

describe("components of a dashboard", () => {
  it.each(dashboards)("of $slug name all their parents", ({ asset }) => {
    for (const { id, parents, children } of nodesOf(asset.position)) {
      for (const child of children) {
        expect(asset.position[child], child).toMatchObject({ parents: [...parents, id] });
      }
    }
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
