import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../../components/shared/state.ts";
import { comparePrograms } from "../../../stack/preview-report/compare-programs.ts";
import { MARKER, renderReport } from "../../../stack/preview-report/markdown.ts";
import { PROGRAM, type ReadText, readProgram } from "../../../stack/preview-report/program.ts";
import { compareSchemas } from "../../../stack/preview-report/schema.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const base: ReadText = (path) => {
  try {
    return read(path);
  } catch {
    return undefined;
  }
};

const DDL = "sql/ddl/20_ods/10_geo_event.sql";
const page = read("docs/pull-requests.md");

/** Types of both coordinates in the table and in its view. */
const COORDINATES =
  /("object": "(?:ods\.geo_event|dds\.geo_candidate)",[\s\S]*?geo_latitude Nullable\()Float64([\s\S]*?geo_longitude Nullable\()Float64/g;

/** Changes of the recorded files in the page's example. */
const EDITS: Readonly<Record<string, (text: string) => string>> = {
  [PROGRAM]: (text) =>
    text
      .replace(/("name": "database-service",[\s\S]*?"cpus": )"2\.0"/, '$1"3.0"')
      .replaceAll('\\"params\\":[10000]', '\\"params\\":[20000]'),
  "test/golden/prometheus/rules.yml": (text) => text.replaceAll("> 10000\n", "> 20000\n"),
  "test/golden/grafana/dashboards/kafka-overview/kafka-overview.json": doubled,
  "test/golden/grafana/dashboards/pipeline-overview/pipeline-overview.json": doubled,
  "sql/schema.json": (text) => text.replace(COORDINATES, "$1Float32$2Float32"),
};

function doubled(text: string): string {
  return text.replaceAll('"value": 10000,', '"value": 20000,');
}

const head: ReadText = (path) => {
  const text = base(path);
  return text === undefined ? undefined : (EDITS[path]?.(text) ?? text);
};

test("the example in the docs equals the report on its change", () => {
  const files = [
    "dashboards/thresholds.ts",
    "components/database/config.ts",
    DDL,
    "sql/schema.json",
  ];
  const report = renderReport({
    changes: comparePrograms(readProgram(base), readProgram(head), { files, read: head }),
    schema: compareSchemas(base, head, [DDL]),
    pictures: [],
  });
  const example = page.slice(page.indexOf("### What this pull request"));
  expect(`${MARKER}\n\n${example}`).toBe(report);
});

test.each(["consumerLag: 10_000,", "cpus: cpus(2),", "geo_latitude    Nullable(Float64),"])(
  "the example's change starts from the present files: %s",
  (line) => {
    expect(page).toMatch(new RegExp(`^- +${line.replace(/[()]/g, "\\$&")}$`, "m"));
    const sources = ["dashboards/thresholds.ts", "components/database/config.ts", DDL].map(read);
    expect(sources.join()).toContain(line);
  },
);
