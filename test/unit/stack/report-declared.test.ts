import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parsePreview } from "../../../pipeline/stack/preview.ts";
import { compareWithBase } from "../../../pipeline/stack/report/base.ts";
import { meaningOfFiles, parseNameStatus } from "../../../pipeline/stack/report/files.ts";
import { renderReport } from "../../../pipeline/stack/report/markdown.ts";
import { type Declared, LONG_TEXT, readProgram } from "../../../pipeline/stack/report/program.ts";
import { ROOT } from "../../../pipeline/stack/state.ts";

const PROGRAM = "test/golden/stack-dev.json";
const DASHBOARD = "test/golden/grafana/dashboards/airflow-overview/airflow-overview.json";
let base: string;

/** A base that records what the head does, to be changed by each test. */
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "base-"));
  for (const path of ["test/golden", "sql/schema.json"]) {
    cpSync(join(ROOT, path), join(base, path), { recursive: true });
  }
});

afterEach(() => rmSync(base, { recursive: true }));

function edit(path: string, change: (text: string) => string): void {
  const file = join(base, path);
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

/** Changes a resource of the base's program by its name and the end of its type. */
function editResource(name: string, type: string, change: (inputs: Inputs) => Inputs): void {
  edit(PROGRAM, (text) =>
    JSON.stringify(
      (JSON.parse(text) as Declared[]).map((one) =>
        one.name === name && one.type.endsWith(`:${type}`)
          ? { ...one, inputs: change(one.inputs) }
          : one,
      ),
    ),
  );
}

type Inputs = Readonly<Record<string, unknown>>;

/** The light stack of the workflow as a start left it: nothing is left to change. */
const light = parsePreview(
  gunzipSync(readFileSync(join(import.meta.dirname, "recorded/first-preview.json.gz"))).toString(),
);
const quiet = {
  ...light,
  steps: light.steps.map((step) => ({ ...step, op: "same", oldState: step.newState })),
};

function report(list = ""): string {
  const files = meaningOfFiles(parseNameStatus(list));
  return renderReport(quiet, files, { comparison: compareWithBase(base, ROOT, files) });
}

describe("the report beside a preview of some services", () => {
  test("says of each service whether it ran; of others it promises nothing", () => {
    const text = report();
    expect(text).toContain("#### On a running stack of `broker`, `database`, `generator`");
    expect(text).toContain("- none of these services restarts\n");
    expect(text).not.toContain("no running service restarts");
    expect(text).toMatch(/- not run for this: .*`bi`.*`dashboards`.*`scheduler`/);
    expect(text).not.toContain("<details>");
  });

  test("shows a service that the preview has not: its restart, ports, memory, and each property", () => {
    editResource("scheduler-web-service", "Container", (inputs) => ({
      ...inputs,
      cpus: "9.0",
      memory: 1000,
      ports: [{ external: 8079, internal: 8080 }],
    }));
    const text = report();
    expect(text).toContain("**1 replaced**: `scheduler-web-service`");
    expect(text).toContain("- restarts `scheduler-web-service`\n");
    expect(text).toMatch(/published ports: .*8079.* → .*8080/);
    expect(text).toMatch(/memory limits: \d+ → \d+ MiB/);
    expect(text).toContain("`cpus`\n\n```diff\n- 9.0\n+ ");
  });

  test("a limit of memory alone restarts nothing", () => {
    editResource("bi-service", "Container", (inputs) => ({ ...inputs, memory: 1000 }));
    const text = report();
    expect(text).toContain("**1 changed**: `bi-service`");
    expect(text).toContain("- nothing that is declared restarts a service\n");
  });

  test("another image restarts what runs it, and a reload runs for its loader", () => {
    editResource("metrics-image", "RemoteImage", (inputs) => ({ ...inputs, name: "other:1" }));
    const text = report();
    expect(text).toContain("- restarts `metrics-service`\n");
    expect(text).toMatch(/- runs .*`metrics-reload`.* afterwards/);
    expect(text).toContain("- other:1\n+ prom/prometheus");
  });

  test("a volume with data that is gone is said first", () => {
    edit(PROGRAM, (text) => {
      const all = JSON.parse(text) as Declared[];
      const data = all.find(({ name }) => name === "postgres-data");
      return JSON.stringify([
        ...all,
        { ...data, name: "former-data", inputs: { name: "event-pipeline-dev-former" } },
      ]);
    });
    expect(report()).toContain("data would be lost** in `event-pipeline-dev-former`");
  });

  test("what an image is built from restarts what runs it", () => {
    const text = report("M\tairflow/dags/etl.py\nM\tREADME.md");
    expect(text).toContain("- restarts `scheduler-service`, `scheduler-web-service`\n");
    expect(text).toContain("`scheduler-init-run`");
    expect(report("M\tREADME.md\nM\tdocs/bi.md")).toContain("nothing that is declared restarts");
  });

  test("commands run again for the files they read", () => {
    expect(report("M\tsql/ddl/40_dm/60_v_funnel.sql")).toMatch(/- runs .*`schema`.* afterwards/);
    expect(report("M\tpipeline/bi/init.ts")).toMatch(/- runs .*`bi-assets`.* afterwards/);
  });

  test("the program's own labels that are ignored change nothing", () => {
    editResource("postgres-data", "Volume", (inputs) => ({ ...inputs, labels: [] }));
    expect(report()).not.toContain("postgres-data");
  });

  test("a base that records no program is not compared, and that is said", () => {
    rmSync(join(base, PROGRAM));
    const text = report();
    expect(text).toMatch(/:warning: Not compared: .*; not run for this: .*`bi`/);
    expect(text).not.toContain("nothing that is declared restarts");
  });
});

describe("alert rules and dashboards", () => {
  test("are named as people know them, with what changed folded", () => {
    editResource("dashboards-rules-broker", "RuleGroup", (inputs) => ({
      ...inputs,
      rules: [
        ...(inputs.rules as { name: string }[])
          .filter(({ name }) => name !== "BrokerDown")
          .map((rule, index) => (index === 0 ? { ...rule, for: "99m" } : rule)),
        { name: "Former" },
      ],
    }));
    edit(DASHBOARD, (text) => text.replace('"refresh": "30s"', '"refresh": "5s"'));
    const text = report();
    expect(text).toMatch(/- alert rules: .*`BrokerDown \(added\)`/);
    expect(text).toMatch(/- alert rules: .*`Broker\w+ \(changed\)`/);
    expect(text).toContain("`Former (removed)`");
    expect(text).toContain("- dashboards: `Airflow (changed)`\n");
    expect(text).toContain("their pictures are the old ones");
    expect(text).toMatch(/-\s+"for": "99m"/);
    expect(text).toContain('-  "refresh": "5s",\n+  "refresh": "30s",');
  });

  test("their sources alone say nothing where the records are the same", () => {
    expect(report("M\tdashboards/alerts/rules.ts\nM\tdashboards/pages/broker.ts")).not.toMatch(
      /alert rules:|dashboards:|pictures/,
    );
  });

  test("a rule that Prometheus holds reloads it, and its text is shown", () => {
    edit("test/golden/prometheus/rules.yml", (text) => text.replace("for: 2m", "for: 99m"));
    const text = report();
    expect(text).toMatch(/- runs `metrics-reload` afterwards/);
    expect(text).toMatch(/-\s+for: 99m\n\+\s+for: 2m/);
  });
});

test("SQL objects come from the recorded schema, not from the names of files", () => {
  edit("sql/schema.json", (text) => text.replace('"query": "SELECTassumeNotNull', '"query": "'));
  const text = report("M\tsql/ddl/20_ods/40_browser_event_mv.sql");
  expect(text).toMatch(/- `ddl` replaces the views `ods\.\w+_mv`/);
  expect(text).not.toContain("--rebuild");
});

test("every dashboard's and every rule's long text is found", () => {
  const long = (readProgram(ROOT) ?? []).filter(({ inputs }) =>
    JSON.stringify(inputs).includes(LONG_TEXT),
  );
  // Its service carries the digest of this text.
  expect(long.map(({ name }) => name)).toEqual(["statsd-exporter-config-loader"]);
});

test("the command takes the base's checkout", () => {
  edit("sql/schema.json", (text) => text.replace("toIntervalDay(30)", "toIntervalDay(31)"));
  const preview = join(base, "preview.json");
  writeFileSync(preview, JSON.stringify(quiet));
  const cli = join(ROOT, "pipeline/cli.ts");
  const { stdout } = spawnSync(process.execPath, [cli, "preview-report", preview, "--base", base], {
    encoding: "utf8",
  });
  expect(stdout).toContain("#### Data, topics, monitoring\n\n- :warning: `ddl` leaves `stg.");
});
