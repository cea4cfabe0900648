import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { officialImages, settingsOf } from "../../../components/config.ts";
import { parseStackConfig } from "../../../components/config-rules.ts";
import { endOfLife } from "../../../components/shared/end-of-life.ts";
import { SAMPLE_DATASET } from "../../../generator/dataset/format.ts";
import { offlineImages } from "../../../images/offline/names.ts";
import { copyProject, nodeModules } from "../../../images/offline/prepare.ts";
import { recipes } from "../../../images/offline/recipes.ts";

// Records what a recipe copies, without copying it.
vi.mock("../../../images/offline/prepare.ts");

const ROOT = join(import.meta.dirname, "../../..");
const packageOf = (path: string): { dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8"));

describe("offline images", () => {
  const imagesIn = (path: string): string[] => {
    const { config } = parse(readFileSync(join(ROOT, path), "utf8"));
    const settings = Object.entries(config).map(([key, value]) => [key.split(":")[1], value]);
    const used = settingsOf("image", parseStackConfig(Object.fromEntries(settings)));
    return [...new Set(used.map(({ value }) => String(value)))];
  };

  const stackFiles = readdirSync(join(ROOT, "test/stack"))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `test/stack/${name}`);

  test.each(["config/offline.yaml", ...stackFiles])(
    "are all that the services of %s use",
    (path) => {
      // The script adds the address of its Kafka.
      const others = path.endsWith("own-broker.yaml") ? ["apache/kafka:4.4.0"] : [];
      const allowed = [...Object.values(offlineImages), ...others];
      expect(imagesIn(path).filter((image) => !allowed.includes(image))).toEqual([]);
    },
  );

  test("are all used by config/offline.yaml, but for the replacement of the exporter", () => {
    const { kafkaExporter: _, ...used } = offlineImages;
    expect(imagesIn("config/offline.yaml").sort()).toEqual(Object.values(used).sort());
  });

  test("are built under these names, which no published image has", () => {
    const tags = Object.values(recipes).map(({ tag }) => tag);
    expect(tags).toEqual(expect.arrayContaining(Object.values(offlineImages)));
    for (const tag of tags) expect(tag).toMatch(/^event-pipeline\/offline\/[a-z-]+:[\w.-]+$/);
  });

  test.each([...new Set([...officialImages.values(), ...Object.values(offlineImages)])])(
    "%s is of a series with a known end of life, or none",
    (image) => expect(endOfLife(image)).not.toBe(undefined),
  );

  test("have the major of the official PostgreSQL", () => {
    const major = officialImages.get("postgres.image")?.match(/:(\d+)\./)?.[1];
    expect(offlineImages.postgres).toMatch(new RegExp(`:${major}$`));
  });

  test("have the versions that their Dockerfiles and locks install", () => {
    const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
    const version = (image: string) => image.split(":")[1] ?? "";
    expect(text("images/offline/postgres/Dockerfile")).toContain(
      `postgresql-${version(offlineImages.postgres)} `,
    );
    expect(text("test/kafka/pom.xml")).toContain(
      `<kafka.version>${version(offlineImages.kafka)}</kafka.version>`,
    );
    expect(text("superset/requirements.txt")).toContain(
      `apache-superset==${version(offlineImages.superset)} `,
    );
    expect(`${version(offlineImages.airflow)}`).toBe(
      `${/^apache-airflow\[.*\]==(\S+)/m.exec(text("airflow/requirements.lock"))?.[1]}-python3.11`,
    );
  });
});

const GENERATOR = importsOf(...sourcesIn("generator"));
/** Also the modules of the commands that run in the image; `ingest.ts` loads the last three by itself. */
const PIPELINE = importsOf(
  ...sourcesIn("generator"),
  ...["cli/main.ts", "cli/program.ts", "cli/collect.ts", "cli/ingest.ts"],
  ...["warehouse/database/open.ts", "warehouse/ingest/service.ts", "generator/service/log.ts"],
);

test.each([["images/pipeline", PIPELINE]])(
  "%s has the packages that its modules import, in the project's versions",
  (path, imports) => {
    const versions = imports.packages.map((name) => [name, packageOf(".").dependencies[name]]);
    expect(packageOf(path).dependencies).toEqual(Object.fromEntries(versions));
  },
);

test.each([
  ["images/pipeline/Dockerfile", PIPELINE],
  ["airflow/Dockerfile", GENERATOR],
])("%s copies every folder that its modules import", (file, { folders }) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const ignore = readFileSync(join(ROOT, `${file}.dockerignore`), "utf8").split("\n");
  const copied = [...text.matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, folder = ""]) => folder);
  expect(folders).toContain("contract");
  expect(copied).toEqual(expect.arrayContaining(folders));
  expect(ignore).toEqual(expect.arrayContaining(folders.map((folder) => `!${folder}`)));
});

test.each(["images/pipeline/Dockerfile", "airflow/Dockerfile"])(
  "%s contains the sample, which an import reads by default",
  (file) => {
    const ignore = readFileSync(join(ROOT, `${file}.dockerignore`), "utf8").split("\n");
    const path = relative(ROOT, SAMPLE_DATASET);
    expect(readFileSync(join(ROOT, file), "utf8")).toContain(`\nCOPY ${path} ./${path}\n`);
    expect(ignore).toContain(`!${path}`);
  },
);

describe("the offline image of the database", () => {
  const { files, packages } = importsOf("images/offline/clickhouse/main.ts");
  const { folder, inputs, prepare } = recipes.clickhouse;
  prepare("context");
  const folders = vi.mocked(copyProject).mock.calls.flatMap(([, paths]) => paths);
  const names = vi.mocked(nodeModules).mock.calls.flatMap(([, list]) => list);
  const copied = [...folders, `images/offline/${folder}`];

  test("copies every module that its program imports", () => {
    const isCopied = (file: string) =>
      copied.some((path) => file === path || file.startsWith(`${path}/`));
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((file) => !isCopied(file))).toEqual([]);
  });

  test("has every package that these modules import", () => {
    expect(names).toEqual(expect.arrayContaining(packages));
  });

  test("is built again after a change of what it copies", () => {
    expect(inputs).toEqual(expect.arrayContaining(folders));
    expect(inputs).toEqual(
      expect.arrayContaining(packages.map((name) => `node_modules/${name}/package.json`)),
    );
  });
});

interface Imports {
  readonly files: string[];
  /** Top folders of the files. */
  readonly folders: string[];
  readonly packages: string[];
}

/** Modules and packages that some files import, directly or indirectly. */
function importsOf(...entries: string[]): Imports {
  const [files, packages] = [new Set(entries), new Set<string>()];
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const [, target = ""] of text.matchAll(/^(?!import type).*from "([^"]*)"/gm)) {
      if (target.startsWith(".")) files.add(join(dirname(file), target));
      else if (!target.startsWith("node:")) {
        packages.add(/^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
      }
    }
  }
  const folders = new Set([...files].map((file) => file.split("/")[0] ?? ""));
  return { files: [...files], folders: [...folders].sort(), packages: [...packages].sort() };
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}
