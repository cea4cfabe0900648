import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Preview, previewFrom } from "../../../stack/preview.ts";
import { type Change, changesOf, valueAt } from "../../../stack/preview-report/changes.ts";
import { linesOf } from "../../../stack/preview-report/details.ts";
import { changedDdl, parseNameStatus } from "../../../stack/preview-report/files.ts";
import { renderReport } from "../../../stack/preview-report/markdown.ts";
import { renderPlain } from "../../../stack/preview-report/plain.ts";
import { schemaImpact } from "../../../stack/preview-report/schema.ts";

const urn = (type: string, name: string) => `urn:pulumi:dev::event-pipeline::${type}::${name}`;
const CONTAINER = "docker:index/container:Container";

const resource = (
  type: string,
  name: string,
  op: string,
  before?: object,
  after?: object,
  diff?: string[],
) => ({
  op,
  urn: urn(type, name),
  ...(before ? { oldState: { inputs: before } } : {}),
  ...(after ? { newState: { inputs: after } } : {}),
  ...(diff
    ? { detailedDiff: Object.fromEntries(diff.map((path) => [path, { kind: "update" }])) }
    : {}),
});

const container = (name: string, op: string, before?: object, after?: object, diff?: string[]) =>
  resource(CONTAINER, name, op, before, after, diff);

const previewOf = (...steps: object[]): Preview => previewFrom({ steps });
const plain = (...steps: object[]): string => renderPlain(previewOf(...steps));

describe("the report on Pulumi's preview", () => {
  test("answers each question if nothing changes", () => {
    expect(plain(container("broker-service", "same", { memory: 1 }, { memory: 1 }))).toBe(
      [
        "Resources: none",
        "Restarts: none",
        "Data at risk: none",
        "Dashboards: none",
        "Alert rules: none",
      ].join("\n"),
    );
  });

  test("distinguishes restarts from changed files, and shows the changed text", () => {
    const upload = (content: string) => ({ start: false, uploads: [{ file: "/a", content }] });
    const text = plain(
      container("database-config-loader", "replace", upload("a: 1\nb: 2"), upload("a: 1\nb: 3"), [
        "uploads[0].content",
      ]),
      container("broker-service", "replace", { memory: 1024 }, { memory: 2048 }, ["memory"]),
    );
    expect(text).toContain("Resources: 2 replaced: database-config-loader, broker-service\n");
    expect(text).toContain("Restarts: broker\n");
    expect(text).toContain("Memory limits (MiB): 1024 → 2048\n");
    expect(text).toContain("    a: 1\n  - b: 2\n  + b: 3");
  });

  test("names shell variables that override the configuration", () => {
    const preview = previewOf(container("generator-service", "same"));
    expect(renderPlain(preview, { GEN_SEED: "7" })).toMatch(
      /\nOverride: GEN_SEED=7 of the shell, for this run only$/,
    );
  });

  test("names data at risk", () => {
    const volume = (name: string, parents = "") =>
      resource(`${parents}docker:index/volume:Volume`, name, "delete", {
        name: `event-pipeline-dev-${name}`,
      });
    const text = plain(
      volume("broker-data"),
      volume("scheduler-logs"),
      volume("database-config", "eventpipeline:config:ConfigVolume$"),
    );
    expect(text).toContain(
      "Data at risk: volume event-pipeline-dev-broker-data is deleted; make up refuses this\n" +
        "Data at risk: logs or metrics in volume event-pipeline-dev-scheduler-logs\n",
    );
  });

  test("shows ports before and after, of all services", () => {
    const port = (external: number) => ({ ports: [{ external, protocol: "tcp" }] });
    const text = plain(
      container("broker-service", "same", port(9092), port(9092)),
      container("database-service", "replace", port(9123), port(9124), ["ports"]),
    );
    expect(text).toContain("Published ports: 9092, 9123 → 9092, 9124");
  });

  test("names the rules of a group, which Pulumi gives as a list", () => {
    const group = (...rules: object[]) => ({ intervalSeconds: 10, rules });
    const text = plain(
      resource(
        "grafana:alerting/ruleGroup:RuleGroup",
        "dashboards-rules-broker",
        "update",
        group({ name: "A", for: "1m" }, { name: "B" }),
        group({ name: "A", for: "2m" }, { name: "B" }, { name: "C" }),
      ),
    );
    expect(text).toContain("Alert rules: A (changed), C (added)\n");
  });

  test.each([
    ["eventpipeline:broker:Broker", "broker"],
    ["eventpipeline:monitoring:Metrics", "metrics"],
    ["pulumi:pulumi:Stack", "dev"],
  ])("counts no component, only its children (%s)", (type, name) => {
    expect(plain(resource(type, name, "create"))).toContain("Resources: none");
  });

  test("counts the three steps of a replacement as one change", () => {
    const steps = ["create-replacement", "replace", "delete-replaced"].map((op) =>
      container("a", op, {}, {}),
    );
    expect(changesOf(previewOf(...steps))).toHaveLength(1);
  });
});

/**
 * Output of `pipeline stack preview --stack rec --config test/stack/light.yaml --json` before a
 * first start. Only the checkout's path (`/checkout`) and its owner's label (`0123456789abcdef`)
 * are replaced. Pulumi itself prints secrets as `[secret]`.
 */
const recorded = (): string =>
  gunzipSync(readFileSync(join(import.meta.dirname, "recorded/first-preview.json.gz"))).toString();

describe("the report on a recorded preview of a first start", () => {
  test("is complete", () => {
    expect(renderPlain(previewFrom(JSON.parse(recorded())))).toBe(
      [
        "Resources: 20 added: database-data, network, generator-data, broker-image, broker-data, generator-image, database-image, database-config, generator-secrets, database-users, broker-service, database-config-loader, database-users-loader, generator-secrets-loader, database-service, database-reload, database-reopen, topics, schema, generator-service",
        "Restarts: none",
        "Data at risk: none",
        "Dashboards: none",
        "Alert rules: none",
        // Without the reloads, which wait for a first change.
        "Commands that run: topics, schema",
        "Published ports: none → 28002, 29092, 29109, 29123, 29126",
        "Memory limits (MiB): 0 → 3072",
      ].join("\n"),
    );
  });

  test("a command whose update does nothing is not listed for another password", () => {
    const command = { create: "pipeline topics", update: ":", environment: "[secret]" };
    const text = plain(resource("command:local:Command", "topics", "update", command, command));
    expect(text).toContain("Resources: 1 changed: topics");
    expect(text).not.toContain("Commands that run");
  });

  test("a changed dependency runs the command", () => {
    const { steps } = previewFrom(JSON.parse(recorded()));
    const updates = steps.map((step) => ({ ...step, op: "update", oldState: step.newState }));
    expect(plain(...updates)).toContain(
      "Commands that run: database-reload, database-reopen, topics, schema",
    );
  });
});

describe("the comment", () => {
  const commentOn = (before: object, after: object): string => {
    const change: Change = {
      kind: "changed",
      type: CONTAINER,
      name: "x-loader",
      isConfiguration: false,
      before: { start: false },
      after: { start: false },
      properties: [{ path: "a", before, after }],
    };
    return renderReport({ changes: [change], schema: schemaImpact([], []), pictures: [] });
  };

  test("keeps a text with fences inside its block", () => {
    expect(commentOn(["```", "# heading"], ["````", "# heading"])).toContain("`````diff");
  });

  test("stays within the size limit of a comment, and counts the rest", () => {
    const long = (letter: string) => Array.from({ length: 900 }, () => letter.repeat(90));
    const text = commentOn(long("a"), long("b"));
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain("The details of 1 more resources are too long to show.");
    expect(text).not.toContain("<details>");
  });
});

test("changed DDL files are those that exist in both versions", () => {
  const text =
    "M\tsql/ddl/30_dds/10_event.sql\nA\tsql/ddl/20_ods/99_new.sql\nD\tsql/ddl/20_ods/98_old.sql\nM\tsql/etl/plan.yaml";
  expect(changedDdl(parseNameStatus(text))).toEqual(["sql/ddl/30_dds/10_event.sql"]);
});

describe("the different lines", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 5 });

  test("turn one text into the other", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before.join("\n") !== after.join("\n"));
        const shown = linesOf({ before: before.join("\n"), after: after.join("\n") });
        const side = (mark: "+" | "-") =>
          shown.filter((line) => !line.startsWith(mark)).map((line) => line.slice(2));
        if (shown.includes("  …")) return;
        expect(before.join("\n")).toContain(side("+").join("\n"));
        expect(after.join("\n")).toContain(side("-").join("\n"));
      }),
    );
  });

  test("have two lines of context, and a mark for omitted lines", () => {
    const text = ["1", "2", "3", "4", "5", "6", "7"];
    expect(linesOf({ before: text.join("\n"), after: text.with(5, "x").join("\n") })).toEqual([
      "  …",
      "  4",
      "  5",
      "- 6",
      "+ x",
      "  7",
    ]);
  });
});

test("finds properties by the provider's paths", () => {
  const inputs = { labels: { "a.b": 1 }, uploads: [{ content: "x" }] };
  expect(valueAt(inputs, 'labels["a.b"]')).toBe(1);
  expect(valueAt(inputs, "uploads[0].content")).toBe("x");
  expect(valueAt(inputs, "uploads[3].content")).toBeUndefined();
});
