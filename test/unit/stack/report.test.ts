import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePreview } from "../../../pipeline/stack/preview.ts";
import { changesOf, valueAt } from "../../../pipeline/stack/report/changes.ts";
import { meaningOfFiles, parseNameStatus } from "../../../pipeline/stack/report/files.ts";
import { diffLines, hunks } from "../../../pipeline/stack/report/lines.ts";
import { MARKER, renderReport } from "../../../pipeline/stack/report/markdown.ts";
import { renderPlain } from "../../../pipeline/stack/report/plain.ts";

const NOTHING = meaningOfFiles([]);
const urn = (type: string, name: string) => `urn:pulumi:dev::event-pipeline::${type}::${name}`;
const CONTAINER = "docker:index/container:Container";

const container = (name: string, op: string, before?: object, after?: object, diff?: string[]) => ({
  op,
  urn: urn(CONTAINER, name),
  ...(before ? { oldState: { inputs: before } } : {}),
  ...(after ? { newState: { inputs: after } } : {}),
  ...(diff
    ? { detailedDiff: Object.fromEntries(diff.map((path) => [path, { kind: "update" }])) }
    : {}),
});

const report = (steps: object[], files = NOTHING) =>
  renderReport(parsePreview(JSON.stringify({ steps })), files);

describe("the report on a preview", () => {
  test("of nothing says so", () => {
    const text = report([container("broker-service", "same", { memory: 1 }, { memory: 1 })]);
    expect(text.startsWith(MARKER)).toBe(true);
    expect(text).toContain("**No resource changes.**");
    expect(text).toContain("no running service restarts");
  });

  test("tells restarts from changed files, and shows the text that changed", () => {
    const upload = (content: string) => ({ start: false, uploads: [{ file: "/a", content }] });
    const text = report([
      container("database-config-loader", "replace", upload("a: 1\nb: 2"), upload("a: 1\nb: 3"), [
        "uploads[0].content",
      ]),
      container("broker-service", "replace", { memory: 1024 }, { memory: 2048 }, ["memory"]),
    ]);
    expect(text).toContain("**2 replaced**: `database-config-loader`, `broker-service`");
    expect(text).toContain("- restarts `broker-service`\n");
    expect(text).toContain("memory limits: 1024 → 2048 MiB");
    expect(text).toContain("  a: 1\n- b: 2\n+ b: 3");
  });

  test("shows the dashboards that were drawn anew, and says where they were not", () => {
    const drawn = meaningOfFiles(
      parseNameStatus("M\tdashboards/pages/home.ts\nM\tdocs/images/pipeline-overview.png\n"),
    );
    const preview = parsePreview(JSON.stringify({ steps: [] }));
    expect(renderReport(preview, drawn, { filesUrl: "https://host/raw/1" })).toContain(
      "\n\n![docs/images/pipeline-overview.png](https://host/raw/1/docs/images/pipeline-overview.png)\n\n",
    );
    expect(renderReport(preview, drawn)).not.toContain("![");
    const old = meaningOfFiles(
      parseNameStatus(
        "M\tdashboards/pages/home.ts\nM\tdocs/images/report.png\nD\tdocs/images/kafka-overview.png\n",
      ),
    );
    expect(renderReport(preview, old, { filesUrl: "https://host/raw/1" })).not.toContain("![");
    expect(renderReport(preview, old)).toContain("node scripts/picture-dashboards.ts");
    expect(renderReport(preview, drawn)).not.toContain("picture-dashboards");
  });

  test("puts data at risk first", () => {
    const steps = [
      {
        op: "delete",
        urn: urn("docker:index/volume:Volume", "broker-data"),
        oldState: { inputs: { name: "event-pipeline-dev-kafka-data" } },
      },
    ];
    expect(report(steps)).toMatch(
      /- :warning: \*\*data would be lost\*\* in `event-pipeline-dev-kafka-data`/,
    );
  });

  test("shows ports before and after, of all services", () => {
    const port = (external: number) => ({ ports: [{ external, protocol: "tcp" }] });
    const text = report([
      container("broker-service", "same", port(9092), port(9092)),
      container("database-service", "replace", port(9123), port(9124), ["ports"]),
    ]);
    expect(text).toContain("published ports: 9092, 9123 → 9092, 9124");
  });

  test.each([
    ["eventpipeline:broker:Broker", "broker"],
    ["eventpipeline:monitoring:Metrics", "metrics"],
    ["pulumi:pulumi:Stack", "dev"],
  ])("counts no component: their children are what runs (%s)", (type, name) => {
    expect(report([{ op: "create", urn: urn(type, name) }])).toContain("**No resource changes.**");
  });

  test("reads the same in a terminal, without markup", () => {
    const steps = [
      container("broker-service", "replace", { memory: 1024 }, { memory: 2048 }, ["memory"]),
    ];
    expect(renderPlain(parsePreview(JSON.stringify({ steps })))).toBe(
      [
        "1 replaced: broker-service",
        "restarts broker-service",
        "memory limits: 1024 → 2048 MiB",
        "",
        "broker-service memory",
        "  - 1024",
        "  + 2048",
      ].join("\n"),
    );
  });

  test("cannot be broken out of by a text with fences", () => {
    const text = report([
      container("x-loader", "update", { a: "```\n# heading" }, { a: "````\n# heading" }, ["a"]),
    ]);
    expect(text).toContain("`````diff");
  });

  test("stays within what a comment may hold, and says what was cut", () => {
    const long = (letter: string) => ({
      a: Array.from({ length: 900 }, () => letter.repeat(90)).join("\n"),
    });
    const text = report([container("x-loader", "update", long("a"), long("b"), ["a"])]);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain("…cut");
  });
});

/**
 * What `pipeline stack preview --stack rec --config test/stack/light.yaml --json` printed on
 * 2026-11-23, before a first start. Only two texts of that machine are replaced, in all places: its
 * checkout's path by `/checkout`, its owner's mark by `0123456789abcdef`. Secrets stood there as
 * `[secret]`: Pulumi itself leaves them out.
 */
const recorded = (): string =>
  gunzipSync(readFileSync(join(import.meta.dirname, "recorded/first-preview.json.gz"))).toString();

describe("the report on a recorded preview of a first start", () => {
  const text = renderReport(parsePreview(recorded()), NOTHING);

  test("says all of it, and nothing of what is made runs", () => {
    expect(text).toBe(
      [
        MARKER,
        "",
        "### What this pull request does to the stack",
        "",
        "**20 added**: `database-data`, `network`, `generator-data`, `broker-image`, `broker-data`, `generator-image`, `database-image`, `database-config`, `generator-secrets`, `database-users`, `broker-service`, `database-config-loader`, `database-users-loader`, `generator-secrets-loader`, `database-service`, `database-reload`, `database-reopen`, `topics`, `schema`, `generator-service`",
        "",
        "- no running service restarts",
        // Not the reloads, which wait for a first change.
        "- runs `topics`, `schema` afterwards",
        "- published ports: none → 28002, 29092, 29109, 29123, 29126",
        "- memory limits: 0 → 3072 MiB",
        "",
      ].join("\n"),
    );
  });

  test("a change of what waited for one runs it", () => {
    const { steps } = parsePreview(recorded());
    const updates = steps.map((step) => ({ ...step, op: "update", oldState: step.newState }));
    expect(report(updates)).toContain(
      "- runs `database-reload`, `database-reopen`, `topics`, `schema` afterwards",
    );
  });
});

describe("changed files", () => {
  const meaning = (text: string) => meaningOfFiles(parseNameStatus(text));

  test("name the DDL files that are there before and after", () => {
    const text =
      "M\tsql/ddl/30_dds/10_event.sql\nA\tsql/ddl/20_ods/99_new.sql\nD\tsql/ddl/20_ods/98_old.sql\nM\tsql/etl/plan.yaml";
    expect(meaning(text).ddl).toEqual(["sql/ddl/30_dds/10_event.sql"]);
  });

  test("name topics, alert rules and dashboards", () => {
    const text =
      "M\tcontract/topics.ts\nM\tdashboards/alerts/rules.ts\nR100\tdashboards/a.ts\tdashboards/kafka.ts\nM\tREADME.md";
    expect(meaning(text)).toMatchObject({
      topics: true,
      alerts: ["dashboards/alerts/rules.ts"],
      dashboards: ["dashboards/kafka.ts"],
    });
  });
});

describe("the comparison of texts", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });

  test("leads from the one to the other", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before.join("\n"), after.join("\n"));
        const side = (mark: "+" | "-") =>
          diff
            .filter((line) => line.mark !== mark)
            .map(({ text }) => text)
            .join("\n");
        expect(side("+")).toBe(before.join("\n"));
        expect(side("-")).toBe(after.join("\n"));
      }),
    );
  });

  test("keeps two lines around a change and marks what is left out", () => {
    const text = ["1", "2", "3", "4", "5", "6", "7"];
    const changed = text.with(5, "x");
    expect(hunks(diffLines(text.join("\n"), changed.join("\n")))).toEqual([
      "  …",
      "  4",
      "  5",
      "- 6",
      "+ x",
      "  7",
    ]);
  });
});

test("properties are found by the provider's paths", () => {
  const inputs = { labels: { "a.b": 1 }, uploads: [{ content: "x" }] };
  expect(valueAt(inputs, 'labels["a.b"]')).toBe(1);
  expect(valueAt(inputs, "uploads[0].content")).toBe("x");
  expect(valueAt(inputs, "uploads[3].content")).toBeUndefined();
});

test("the three steps of a replacement are one change", () => {
  const steps = ["create-replacement", "replace", "delete-replaced"].map((op) =>
    container("a", op, {}, {}),
  );
  expect(changesOf(parsePreview(JSON.stringify({ steps })).steps)).toHaveLength(1);
});
