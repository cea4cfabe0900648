import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ROOT } from "../../../components/shared/state.ts";
import { comparePrograms } from "../../../stack/preview-report/compare-programs.ts";
import {
  changedDdl,
  changedPictures,
  parseNameStatus,
} from "../../../stack/preview-report/files.ts";
import { MARKER, renderReport } from "../../../stack/preview-report/markdown.ts";
import {
  type DeclaredResource,
  LONG_TEXT,
  PROGRAM,
  type ReadText,
  readProgram,
} from "../../../stack/preview-report/program.ts";
import { compareSchemas } from "../../../stack/preview-report/schema.ts";

const DASHBOARD = "test/golden/grafana/dashboards/airflow-overview/airflow-overview.json";

const head: ReadText = (path) =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : undefined;

/** Files of the base that differ from the head's. */
const edited = new Map<string, string | undefined>();
const base: ReadText = (path) => (edited.has(path) ? edited.get(path) : head(path));
beforeEach(() => edited.clear());

const edit = (path: string, change: (text: string) => string): void => {
  edited.set(path, change(base(path) ?? ""));
};

type Inputs = Readonly<Record<string, unknown>>;

/** Changes the base's program. */
const editProgram = (
  change: (all: readonly DeclaredResource[]) => readonly DeclaredResource[],
): void => edit(PROGRAM, (text) => JSON.stringify(change(JSON.parse(text))));

/** Changes a resource of the base's program, by its name and the end of its type. */
const editResource = (name: string, type: string, change: (inputs: Inputs) => Inputs): void =>
  editProgram((all) =>
    all.map((one) =>
      one.name === name && one.type.endsWith(`:${type}`)
        ? { ...one, inputs: change(one.inputs) }
        : one,
    ),
  );

/** @param list output of `git diff --name-status` */
function report(list = "", filesUrl?: string): string {
  const files = parseNameStatus(list);
  const sources = { files: files.map(({ path }) => path), read: head };
  return renderReport({
    changes: comparePrograms(readProgram(base), readProgram(head), sources),
    schema: compareSchemas(base, head, changedDdl(files)),
    pictures: changedPictures(files),
    filesUrl,
  });
}

describe("the report on a declared program", () => {
  test("answers every question if nothing changes", () => {
    const text = report("M\tREADME.md\nM\tdocs/bi.md");
    expect(text.startsWith(MARKER)).toBe(true);
    for (const question of ["Resources", "Restarts", "Data at risk", "Dashboards", "Alert rules"]) {
      expect(text).toContain(`| **${question}** | none |`);
    }
    expect(text).not.toMatch(/Published ports|Memory limits|Commands that run|<details>|####/);
  });

  test("shows a restart, ports, memory, and each property", () => {
    editResource("scheduler-web-service", "Container", (inputs) => ({
      ...inputs,
      cpus: "9.0",
      memory: 1000,
      ports: [{ external: 8079, internal: 8080 }],
    }));
    const text = report();
    expect(text).toContain("| **Resources** | 1 replaced: `scheduler-web-service` |");
    expect(text).toContain("| **Restarts** | `scheduler-web` |");
    expect(text).toMatch(/\*\*Published ports\*\* \| .*8079.* → .*8080/);
    expect(text).toMatch(/\*\*Memory limits \(MiB\)\*\* \| \d+ → \d+ \|/);
    expect(text).toContain("`cpus`\n\n```diff\n- 9.0\n+ ");
  });

  test("a changed memory limit alone restarts nothing", () => {
    editResource("bi-service", "Container", (inputs) => ({ ...inputs, memory: 1000 }));
    const text = report();
    expect(text).toContain("| **Resources** | 1 changed: `bi-service` |");
    expect(text).toContain("| **Restarts** | none |");
  });

  test("another image restarts its service, and a reload runs for its loader", () => {
    editResource("metrics-image", "RemoteImage", (inputs) => ({ ...inputs, name: "other:1" }));
    const text = report();
    expect(text).toContain("| **Restarts** | `metrics` |");
    expect(text).toMatch(/\*\*Commands that run\*\* \| .*`metrics-reload`/);
    expect(text).toContain("- other:1\n+ prom/prometheus");
  });

  test("names a deleted volume and a removed service", () => {
    editProgram((all) => [
      ...all,
      ...all
        .filter(({ name }) => name === "postgres-data" || name === "postgres-service")
        .map((one) => ({
          ...one,
          name: one.name.replace("postgres", "store"),
          inputs: { name: "event-pipeline-dev-store" },
        })),
    ]);
    const text = report();
    expect(text).toContain(
      "| **Data at risk** | :warning: volume `event-pipeline-dev-store` is deleted; `make up` refuses this |",
    );
    expect(text).toContain("| **Removed services** | `store` |");
  });

  test("a renamed resource with an alias is the same resource", () => {
    const renamed = (one: DeclaredResource): DeclaredResource =>
      one.name === "postgres-data" && one.type.endsWith(":Volume")
        ? { ...one, name: "old-data" }
        : one;
    editProgram((all) => all.map(renamed));
    expect(report()).toContain("is deleted");
    const withAlias = (one: DeclaredResource): DeclaredResource =>
      one.name === "postgres-data"
        ? { ...one, options: { ...one.options, aliases: ["old-data"] } }
        : one;
    const changes = comparePrograms(readProgram(base), readProgram(head).map(withAlias), {
      files: [],
      read: head,
    });
    expect(changes.filter(({ kind }) => kind !== "unchanged")).toEqual([]);
  });

  test("a volume under another component, without an alias, is another volume", () => {
    editProgram((all) =>
      all.map((one) => (one.name === "database-data" ? { ...one, parent: "store" } : one)),
    );
    expect(report()).toContain("volume `event-pipeline-dev-clickhouse-data` is deleted");
    const renamed = readProgram(head).map((one) =>
      one.name === "database" && one.type.startsWith("eventpipeline:")
        ? { ...one, options: { ...one.options, aliases: ["store"] } }
        : one,
    );
    const changes = comparePrograms(readProgram(base), renamed, { files: [], read: head });
    expect(changes.filter(({ name }) => name === "database-data")).toMatchObject([
      { kind: "unchanged" },
    ]);
  });

  test("a removed or regenerated encryption key puts encrypted data at risk", () => {
    const lost = /:warning: data encrypted with the key `postgres-bi-secret-key-1` cannot be read/;
    editResource("postgres-bi-secret-key-1", "RandomPassword", (inputs) => ({
      ...inputs,
      length: 8,
    }));
    expect(report()).toMatch(lost);
    editProgram((all) =>
      all.map((one) =>
        one.name === "postgres-bi-password" ? { ...one, name: "postgres-bi-secret-key-2" } : one,
      ),
    );
    expect(report()).toContain("`postgres-bi-secret-key-2` cannot be read");
  });

  test("a changed source of an image restarts its service", () => {
    const text = report("M\tairflow/dags/etl.py\nM\tREADME.md");
    expect(text).toContain("| **Restarts** | `scheduler`, `scheduler-web` |");
    expect(text).toContain("`scheduler-init-run`");
  });

  test("commands run again when their files change", () => {
    const commands = /\*\*Commands that run\*\* \| (.*) \|/;
    expect(commands.exec(report("M\tsql/ddl/40_dm/60_v_funnel.sql"))?.[1]).toContain("`schema`");
    // The `ddl` command writes the comments of the columns.
    expect(commands.exec(report("M\tcontract/mart-columns.ts"))?.[1]).toContain("`schema`");
    expect(commands.exec(report("M\tsuperset/import/init.ts"))?.[1]).toContain("`bi-assets`");
  });

  test("labels that the program ignores change nothing", () => {
    editResource("postgres-data", "Volume", (inputs) => ({ ...inputs, labels: [] }));
    expect(report()).toContain("| **Resources** | none |");
  });

  test("a base without a recorded program declares nothing", () => {
    edited.set(PROGRAM, undefined);
    edited.set("sql/schema.json", undefined);
    const text = report();
    expect(text).toMatch(/\| \*\*Resources\*\* \| \d+ added: /);
    expect(text).toMatch(/- `ddl` creates .*`stg\.browser_raw`/);
  });
});

describe("alert rules and dashboards", () => {
  test("are named by their titles, with the changes folded", () => {
    editResource("dashboards-rules-broker", "RuleGroup", (inputs) => ({
      ...inputs,
      rules: [
        ...(inputs.rules as { name: string }[])
          .filter(({ name }) => name !== "BrokerDown")
          .map((rule, index) => (index === 0 ? { ...rule, for: "99m" } : rule)),
        { name: "Old" },
      ],
    }));
    edit(DASHBOARD, (text) => text.replace('"refresh": "30s"', '"refresh": "5s"'));
    const text = report();
    expect(text).toMatch(/\*\*Alert rules\*\* \| .*`BrokerDown \(added\)`/);
    expect(text).toMatch(/\*\*Alert rules\*\* \| .*`Broker\w+ \(changed\)`/);
    expect(text).toContain("`Old (removed)`");
    expect(text).toContain("| **Dashboards** | `Airflow (changed)` |");
    expect(text).toContain("pictures of these dashboards are out of date");
    expect(text).toMatch(/-\s+"for": "99m"/);
    expect(text).toContain('-  "refresh": "5s",\n+  "refresh": "30s",');
  });

  test("a changed interval of a group changes each of its rules", () => {
    editResource("dashboards-rules-broker", "RuleGroup", (inputs) => ({
      ...inputs,
      intervalSeconds: 999,
    }));
    expect(report()).toContain("`BrokerDown (changed)`");
  });

  test("a rule in Prometheus reloads it, and its text is shown", () => {
    edit("test/golden/prometheus/rules.yml", (text) => text.replace("for: 2m", "for: 99m"));
    const text = report();
    expect(text).toContain("| **Commands that run** | `metrics-reload` |");
    expect(text).toMatch(/-\s+for: 99m\n\+\s+for: 2m/);
  });

  test("pictures come from the head's files, if the change includes them", () => {
    edit(DASHBOARD, (text) => text.replace('"refresh": "30s"', '"refresh": "5s"'));
    const url = "https://host/raw/1";
    const drawn = "M\tdocs/images/pipeline-overview.png\nD\tdocs/images/kafka-overview.png";
    const text = report(drawn, url);
    expect(text.match(/!\[/g)).toHaveLength(1);
    expect(text).toContain(
      `\n\n![docs/images/pipeline-overview.png](${url}/docs/images/pipeline-overview.png)\n\n`,
    );
    expect(text).not.toContain("out of date");
    expect(report(drawn)).not.toContain("![");
  });
});

describe("the schema", () => {
  test("comes from the recorded objects, not from file names", () => {
    edit("sql/schema.json", (text) => text.replace('"query": "SELECT assumeNotNull', '"query": "'));
    const text = report("M\tsql/ddl/20_ods/40_browser_event_mv.sql");
    expect(text).toMatch(/- `ddl` replaces the views `ods\.\w+_mv`/);
    expect(text).not.toContain("--rebuild");
  });

  test("lists rows that a rebuild deletes as data at risk", () => {
    edit("sql/schema.json", (text) => text.replaceAll("Nullable(UUID)", "UUID"));
    edit("sql/schema.json", (text) => {
      const all = JSON.parse(text) as { object: string; columns: string[] }[];
      return JSON.stringify(
        all.map((one) => (one.object === "ods.browser_event" ? { ...one, columns: [] } : one)),
      );
    });
    expect(report()).toMatch(/\*\*Data at risk\*\* \| a rebuild of `ods` deletes rows older than/);
  });
});

test("finds the long text of every dashboard and every rule", () => {
  const long = readProgram(head).filter(({ inputs }) => JSON.stringify(inputs).includes(LONG_TEXT));
  // Its service has the digest of this text.
  expect(long.map(({ name }) => name)).toEqual(["statsd-exporter-config-loader"]);
});

describe("the command", () => {
  const run = (base: string) =>
    spawnSync(process.execPath, [join(ROOT, "cli/main.ts"), "preview-report", "--base", base], {
      encoding: "utf8",
    });

  test("compares the working copy with a commit", () => {
    const { stdout } = run("HEAD");
    expect(stdout.startsWith(MARKER)).toBe(true);
    expect(stdout).toContain("| **Restarts** |");
  });

  test("refuses an unknown commit", () => {
    const { status, stderr } = run("no-such-branch");
    expect(status).toBe(1);
    expect(stderr).toContain("git merge-base HEAD no-such-branch failed");
  });
});
