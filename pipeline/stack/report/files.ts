import { DASHBOARD_UIDS } from "../../../dashboards/uids.ts";
import { REBUILDABLE } from "../../schema/rebuild.ts";

/** A file a pull request changes, as `git diff --name-status` prints it. */
export interface ChangedFile {
  readonly status: string;
  readonly path: string;
}

export const parseNameStatus = (text: string): ChangedFile[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const fields = line.split("\t");
      return { status: (fields[0] ?? "").slice(0, 1), path: fields.at(-1) ?? "" };
    });

/** What changed files mean beyond the resources: the same plan may carry other SQL. */
export interface FileMeaning {
  /** `dds.event (changed)`. */
  readonly sqlObjects: readonly string[];
  /** Layers whose tables a rebuild would touch, lowest first, with those above them. */
  readonly rebuilt: readonly string[];
  readonly topics: boolean;
  readonly alerts: readonly string[];
  readonly dashboards: readonly string[];
  /** Drawn dashboards that the change draws anew. */
  readonly pictures: readonly string[];
}

/** Where the drawn dashboards lie (scripts/picture-dashboards.ts). */
const PICTURES = Object.values(DASHBOARD_UIDS).map((uid) => `docs/images/${uid}.png`);

const VERBS: Readonly<Record<string, string>> = { A: "added", D: "removed", R: "renamed" };
const DDL = /^sql\/ddl\/\d+_(stg|ods|dds|dm)\/(?:\d+_)?([\w-]+)\.sql$/;

export function meaningOfFiles(files: readonly ChangedFile[]): FileMeaning {
  const objects = files.flatMap(({ status, path }) => {
    const match = DDL.exec(path);
    if (!match) return [];
    return [{ layer: match[1] ?? "", name: match[2] ?? "", verb: VERBS[status] ?? "changed" }];
  });
  const tables = objects.filter(({ name, verb }) => verb === "changed" && !name.startsWith("v_"));
  const touched = new Set(tables.map(({ layer }) => layer));
  const lowest = REBUILDABLE.map((layer) => touched.has(layer)).indexOf(true);
  const under = (folder: string, test: RegExp) =>
    files.map(({ path }) => path).filter((path) => path.startsWith(folder) && test.test(path));
  return {
    sqlObjects: objects.map(({ layer, name, verb }) => `${layer}.${name} (${verb})`),
    rebuilt: lowest < 0 ? [] : REBUILDABLE.slice(lowest),
    topics: files.some(
      ({ path }) => path === "contract/topics.ts" || path === "contract/streams.ts",
    ),
    alerts: under("dashboards/", /alert|signal/i),
    dashboards: under("dashboards/", /^(?!.*alert).*$/i),
    pictures: files.flatMap(({ status, path }) =>
      status !== "D" && PICTURES.includes(path) ? [path] : [],
    ),
  };
}
