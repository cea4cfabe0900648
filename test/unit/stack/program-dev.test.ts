import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { JOB_NAMES } from "../../../dashboards/promql.ts";
import { expectGolden } from "./golden.ts";
import { fileOf, filesOf, ofType, recordProgram, resourceOf, testSecrets } from "./record.ts";
import { expectRules } from "./walk.ts";

const resources = await recordProgram("dev", {});
const orderOf = (name: string, type: string) =>
  resourceOf(resources, name, type).options.dependsOn as string[];

/** Returns all that is ready before a container or command starts. */
function allBefore(name: string, found = new Set<string>()): ReadonlySet<string> {
  for (const one of resources.filter((other) => other.name === name)) {
    for (const before of (one.options.dependsOn ?? []) as string[]) {
      if (found.has(before)) continue;
      found.add(before);
      allBefore(before, found);
    }
  }
  return found;
}

describe("the program with the defaults", () => {
  test("equals the golden files", () => expectGolden(resources));

  test("follows the rules for every resource", () => expectRules(resources));

  test.each([
    ["topics", "Command", ["kafka", "clickhouse"]],
    ["schema", "Command", ["topics", "clickhouse"]],
    ["generator", "Container", ["topics"]],
    ["airflow-api-server", "Container", ["airflow-init-run"]],
    ["airflow-dag-processor", "Container", ["airflow-api-server"]],
    ["airflow", "Container", ["airflow-api-server"]],
    ["superset-assets", "Command", ["superset", "schema"]],
    ["live-history", "Command", ["generator", "schema", "airflow"]],
    ["prometheus", "Container", ["schema", "generator", "kafka-exporter", "statsd-exporter"]],
    ["grafana", "Container", ["prometheus", "alert-log"]],
    ["grafana-folder", "Command", ["grafana", "grafana-administrator"]],
    ["grafana-provider", "grafana", ["grafana-folder"]],
  ])("starts %s (%s) after %j", (name, type, before) => {
    expect(orderOf(name, type)).toEqual(expect.arrayContaining(before));
  });

  test("starts a container after each one whose address it has, except where it says that it does not wait", () => {
    // A command starts the containers of jobs.
    const containers = ofType(resources, "Container").filter(({ inputs }) => inputs.mustRun);
    const early = containers.flatMap(({ name, inputs }) => {
      const known = `${JSON.stringify(inputs.envs)} ${filesOf(name)}`;
      const before = allBefore(name);
      return containers
        .map((other) => other.name)
        .filter((other) => other !== name && !before.has(other))
        .filter((other) => new RegExp(`(?<![\\w-])${other}:\\d`).test(known))
        .map((other) => `${name} has ${other}`);
    });
    expect(early).toEqual([
      "airflow has clickhouse",
      "airflow has generator",
      "airflow has kafka",
      "clickhouse has kafka",
    ]);
  });

  test("starts the generator before the schema, because messages wait in the topics", () =>
    expect(orderOf("generator", "Container")).not.toContain("schema"));

  test("skips the deletion of Grafana's content only with its volume, and never deletes the folder", () => {
    expect(ofType(resources, "Folder")).toEqual([]);
    const content = resources.filter(({ type }) => type.startsWith("grafana:"));
    expect(content.length).toBeGreaterThan(10);
    for (const { name, options } of content) expect(options.deletedWith, name).toBe("grafana-data");
  });
});

describe("files with secrets", () => {
  test("ClickHouse has hashes of its passwords, and the users of the golden file", async () => {
    const text = fileOf("clickhouse", "users.yaml");
    for (const secret of Object.values(testSecrets)) expect(text).not.toContain(secret);
    expect(parse(text).users.default.password_sha256_hex).toBe(
      createHash("sha256").update(testSecrets.clickhousePassword).digest("hex"),
    );
    const masked = text.replaceAll(/\b[0-9a-f]{64}\b/g, "SHA-256");
    await expect(masked).toMatchFileSnapshot("../../golden/database-users.yaml");
  });

  test("Airflow's Fernet key is 32 bytes in URL-safe base64", () => {
    const key = fileOf("airflow", "fernet-key");
    expect(key).toMatch(/^[\w-]{43}=$/);
    expect(Buffer.from(key, "base64url")).toHaveLength(32);
  });

  test.each([
    ["airflow-api-server", ["fernet-key", "jwt-secret", "metadata-url", "passwords"]],
    ["airflow-init", ["fernet-key", "jwt-secret", "metadata-url"]],
    [
      "airflow",
      [
        "admin-password",
        "clickhouse-password",
        "control-token",
        "fernet-key",
        "jwt-secret",
        "metadata-url",
      ],
    ],
  ])("of %s are those that it uses", (name, expected) => {
    const uploads = resourceOf(resources, name).inputs.uploads as { file: string }[];
    expect(uploads.map(({ file }) => file.split("/").at(-1)).sort()).toEqual(expected);
  });

  test("Prometheus reads the monitor's password", () =>
    expect(fileOf("prometheus", "pipeline-password")).toBe(testSecrets.clickhouseMonitorPassword));

  test("the containers' variables hold only paths of them", () => {
    for (const { name, inputs } of ofType(resources, "Container")) {
      expect(JSON.stringify(inputs.envs), name).not.toContain("<secret>");
    }
  });
});

test("the monitoring page has all jobs, and Prometheus scrapes all but those of services that are off", () => {
  const jobs = fileOf("prometheus", "prometheus.yml").matchAll(/job_name: (\w+)/g);
  const scraped = [...jobs].map(([, job]) => job).sort();
  const text = readFileSync(join(import.meta.dirname, "../../../docs/monitoring.md"), "utf8");
  const rows = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, job]) => job);
  expect(rows.sort()).toEqual([...JOB_NAMES].sort());
  expect(scraped).toEqual(rows.filter((job) => job !== "ingest" && job !== "collector"));
});
