/** Writes licences.yaml: the licence of every package and image that the project installs. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { pythonEnvironment } from "../test/support/python.ts";

const ROOT = join(import.meta.dirname, "..");
export const PYTHON_LOCKS = ["airflow/requirements.lock", "superset/requirements.txt"];

/** Images with their vendors' licence; containers of the stack run them unchanged. */
const IMAGES = {
  "Apache-2.0": [
    "apache/airflow",
    "apache/kafka",
    "apache/superset",
    "clickhouse/clickhouse-server",
    "danielqsj/kafka-exporter",
    "ghcr.io/kafbat/kafka-ui",
    "prom/prometheus",
    "prom/statsd-exporter",
  ],
  "AGPL-3.0-only": ["grafana/grafana"],
  MIT: ["node"],
  PostgreSQL: ["postgres"],
};

/** Licences of packages whose metadata name none in the form of SPDX; read in their files. */
const READ: Readonly<Record<string, string>> = {
  "@chdb/lib-darwin-arm64": "Apache-2.0",
  "@chdb/lib-darwin-x64": "Apache-2.0",
  "@chdb/lib-linux-arm64-gnu": "Apache-2.0",
  "@logdna/tail-file": "MIT",
  "apache-superset": "Apache-2.0",
  bottleneck: "BSD-2-Clause",
  polyline: "MIT",
  pyxlsb: "LGPL-3.0-or-later",
  "pyyaml-ft": "MIT",
};

interface Lock {
  readonly packages: Readonly<Record<string, { readonly license?: string; readonly dev?: true }>>;
}

type Licences = Record<string, string>;

/** Reads the licences of the packages of npm that are not only for development. */
export function npmLicences(): Licences {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
  const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  return Object.fromEntries(
    shipped.map(([path, { license }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return [name, READ[name] ?? license ?? "unknown"];
    }),
  );
}

/** Returns the names of the packages of a lock. */
export const lockedNames = (lock: string): string[] =>
  [...readFileSync(join(ROOT, lock), "utf8").matchAll(/^([\w.-]+)(?:\[[^\]]*\])?==/gm)].map(
    ([, name = ""]) => canonical(name),
  );

const canonical = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

/** Prints the name of each installed package with what its metadata say. */
const METADATA = `
import importlib.metadata, json
def licence(m):
    if m["License-Expression"]: return m["License-Expression"]
    named = [c.split(" :: ")[-1] for c in m.get_all("Classifier") or [] if c.startswith("License :: ")]
    named = [c for c in named if c != "OSI Approved"]
    return " OR ".join(sorted(set(named))) or (m["License"] or "unknown").splitlines()[0]
print(json.dumps({d.metadata["Name"]: licence(d.metadata) for d in importlib.metadata.distributions()}))`;

/** Other names of licences in metadata of Python packages. */
const SPDX: readonly (readonly [RegExp, string])[] = [
  [/MIT License|MIT license|^The MIT.*/g, "MIT"],
  [
    /Apache Software License|Apache License,? (Version )?2\.0|^Apache 2(\.0)?( License)?$/g,
    "Apache-2.0",
  ],
  [/3-Clause BSD License|BSD 3-Clause( License)?|BSD License|^BSD$/g, "BSD-3-Clause"],
  [/Mozilla Public License 2\.0 \(MPL 2\.0\)/g, "MPL-2.0"],
  [/ISC License \(ISCL\)/g, "ISC"],
  [/Python Software Foundation License/g, "PSF-2.0"],
  [/The Unlicense \(Unlicense\)/g, "Unlicense"],
  [/GNU Library or Lesser General Public License \(LGPL\)/g, "LGPL-3.0-or-later"],
  [/Artistic License/g, "Artistic-1.0-Perl"],
  [/GNU General Public License v2 or later \(GPLv2\+\)/g, "GPL-2.0-or-later"],
  [/GNU General Public License \(GPL\)/g, "GPL-1.0-or-later"],
];

function pythonLicences(): Licences {
  const found: Licences = {};
  for (const lock of PYTHON_LOCKS) {
    const environment = pythonEnvironment(join(ROOT, lock));
    if ("missing" in environment) throw new Error(environment.missing);
    const printed = execFileSync(environment.python, ["-c", METADATA], { encoding: "utf8" });
    const licences = JSON.parse(printed) as Licences;
    const names = new Set(lockedNames(lock));
    for (const [name, licence] of Object.entries(licences)) {
      if (!names.has(canonical(name))) continue;
      const spdx = SPDX.reduce((text, [other, id]) => text.replaceAll(other, id), licence);
      found[canonical(name)] = READ[canonical(name)] ?? spdx;
    }
    // A lock also has packages of other versions of Python.
    for (const name of names) found[name] ??= READ[name] ?? "unknown";
  }
  return found;
}

/** Groups names by their licence, both sorted. */
export const byLicence = (licences: Licences): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(Object.keys(licences).toSorted(), (name) => licences[name] ?? ""))
      .map(([licence, names = []]): [string, string[]] => [licence, names])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

if (import.meta.main) {
  const list = {
    npm: byLicence(npmLicences()),
    python: byLicence(pythonLicences()),
    images: IMAGES,
  };
  const head =
    "# Generated: npm run record-licences. A test refuses licences that it does not know.\n";
  writeFileSync(join(ROOT, "licences.yaml"), head + stringify(list));
}
