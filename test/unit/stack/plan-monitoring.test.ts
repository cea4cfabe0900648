import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { planStack } from "../../../components/services.ts";
import { isSecret, planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

const planOf = (config: Readonly<Record<string, unknown>> = {}) => planStack(planContext(config));
const filesOf = (config: Readonly<Record<string, unknown>> = {}) => {
  const { metrics, dashboards, brokerExporter, statsdExporter } = planOf(config);
  const services = [
    metrics?.service,
    dashboards?.service,
    brokerExporter?.service,
    statsdExporter?.service,
  ];
  return services.flatMap((service) => service?.configs ?? []).flatMap(({ files }) => files);
};
const fileOf = (path: string, config: Readonly<Record<string, unknown>> = {}) =>
  filesOf(config).find((file) => file.path === path);
const prometheus = (config: Readonly<Record<string, unknown>> = {}) =>
  parse(textOf(fileOf("prometheus.yml", config)?.content)) as {
    storage: { tsdb: object };
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
const targets = (config: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    prometheus(config).scrape_configs.map((job) => [
      job.job_name,
      job.static_configs[0]?.targets[0],
    ]),
  );

const external = {
  mode: "external",
  bootstrap: "b1.example:9094,b2.example:9094",
  security: { mechanism: "SCRAM-SHA-512", username: "pipeline" },
} as const;

describe("the metrics store", () => {
  test("has no targets or rules for missing parts", () => {
    const config = {
      brokerExporter: { enabled: false },
      generator: { deploy: false },
      scheduler: { enabled: false },
    };
    expect(Object.keys(targets(config))).toEqual(["database", "pipeline", "prometheus"]);
    expect(fileOf("rules.yml", config)?.content).not.toMatch(
      /BrokerDown|GeneratorSilent|SchedulerDown/,
    );
    expect(fileOf("rules.yml", config)?.content).toContain("DatabaseFailedQueries");
  });

  test.each([
    [
      { generator: { deploy: false } },
      /BrokerNoMessagesProduced|Generator\w+/,
      ["BrokerDown", "BrokerMessagesStuck"],
    ],
    [
      { brokerExporter: { enabled: false } },
      /Broker\w+|GeneratorStateNotSaved/,
      ["GeneratorSilent", "PipelineMartsStale"],
    ],
  ])("without %o it has no rule that uses it, and all others", (config, gone, kept) => {
    const { groups } = parse(textOf(fileOf("rules.yml", config)?.content)) as {
      groups: { rules: { alert: string }[] }[];
    };
    const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(names.filter((name) => gone.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(kept));
  });

  test("has limits of time and size and accepts late samples", () => {
    const config = { metrics: { retentionDays: 3, retentionMiB: 512, outOfOrderMinutes: 60 } };
    expect(planOf(config).metrics?.service.container.command).toEqual(
      expect.arrayContaining([
        "--storage.tsdb.retention.time=3d",
        "--storage.tsdb.retention.size=512MB",
      ]),
    );
    expect(prometheus(config).storage.tsdb).toEqual({ out_of_order_time_window: "60m" });
  });

  test("logs in as a read-only user, with a password from a file", () => {
    expect(textOf(fileOf("pipeline-password")?.content)).toBe(
      testSecrets.clickhouseMonitorPassword,
    );
    expect(fileOf("prometheus.yml")?.content).toEqual(expect.any(String));
  });

  test("queries an external database as the configured user", () => {
    const database = { mode: "external", url: "https://db.example:8443", user: "etl" };
    const broker = { mode: "external", bootstrap: "b.example:9092", security: { tls: false } };
    const [job] = prometheus({ broker, database }).scrape_configs;
    expect(job).toMatchObject({
      job_name: "pipeline",
      scheme: "https",
      basic_auth: { username: "etl" },
      static_configs: [{ targets: ["db.example:8443"] }],
    });
  });
});

describe("the exporters", () => {
  test("the broker's shows connected groups only and keeps its password out of the arguments", () => {
    const plan = planOf({ broker: external }).brokerExporter?.service;
    const file = plan?.configs[0]?.files[0];
    expect(plan?.container.command).toEqual(["@/etc/event-pipeline/arguments"]);
    expect(file && isSecret(file)).toBe(true);
    expect(textOf(file?.content).trim().split("\n")).toEqual([
      "--kafka.server=b1.example:9094",
      "--kafka.server=b2.example:9094",
      "--kafka.version=3.6.0",
      "--no-offset.show-all",
      "--tls.enabled",
      "--sasl.enabled",
      "--sasl.mechanism=scram-sha512",
      "--sasl.username=pipeline",
      `--sasl.password=${testSecrets.kafkaPassword}`,
    ]);
  });

  test("the broker's trusts the configured authority, and restarts for another one", () => {
    const ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const security = { ...external.security, ca };
    const plan = planOf({ broker: { ...external, security } }).brokerExporter?.service;
    const files = plan?.configs[0]?.files ?? [];
    expect(textOf(files[0]?.content)).toContain("\n--tls.ca-file=/etc/event-pipeline/ca.pem\n");
    expect(files[1]).toEqual({ path: "ca.pem", content: ca });
    expect(plan?.container.replaceTriggers).toMatchObject({ ca });
  });

  test("the mapping has no catch-all rule", () => {
    const mapping = parse(
      textOf(fileOf("mapping.yml", { scheduler: { enabled: true } })?.content),
    ) as {
      mappings: { match: string }[];
    };
    expect(mapping.mappings.length).toBeGreaterThan(30);
    for (const { match } of mapping.mappings) expect(match).toMatch(/^\^?airflow\\?\.[a-z_]+/);
  });
});

describe("Grafana", () => {
  test("sends alerts to the stack's own log, or to the configured address", () => {
    const urlOf = (configured: readonly "alertWebhook"[]) =>
      textOf(planStack(planContext({}, {}, "dev", configured)).dashboards?.contactPoint.url);
    expect(urlOf([])).toBe("http://alert-log:8090/alerts");
    expect(urlOf(["alertWebhook"])).toBe(testSecrets.alertWebhook);
  });

  test("a changed dashboard or rule changes neither its files nor its container", () => {
    const plan = (runbook: string) => planOf({ dashboards: { runbook } }).dashboards;
    expect(plan("https://one.example")?.content).not.toEqual(plan("https://two.example")?.content);
    // As text, because each plan has functions of its own that render the secrets.
    const text = (runbook: string) => JSON.stringify(plan(runbook)?.service);
    expect(text("https://one.example")).toBe(text("https://two.example"));
  });
});
