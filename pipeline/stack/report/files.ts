import { DASHBOARD_UIDS } from "../../../dashboards/uids.ts";

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

/** What changed files mean beyond the resources. */
export interface FileMeaning {
  readonly paths: readonly string[];
  /** DDL files that are there before and after. */
  readonly ddl: readonly string[];
  readonly topics: boolean;
  /** Sources of alert rules and dashboards: a comparison with the base names these themselves. */
  readonly alerts: readonly string[];
  readonly dashboards: readonly string[];
  /** Drawn dashboards that the change draws anew. */
  readonly pictures: readonly string[];
}

/** Where the drawn dashboards lie (scripts/picture-dashboards.ts). */
const PICTURES = Object.values(DASHBOARD_UIDS).map((uid) => `docs/images/${uid}.png`);

export function meaningOfFiles(files: readonly ChangedFile[]): FileMeaning {
  const paths = files.map(({ path }) => path);
  const under = (folder: string, test: RegExp) =>
    paths.filter((path) => path.startsWith(folder) && test.test(path));
  return {
    paths,
    ddl: files
      .filter(({ status, path }) => status === "M" && /^sql\/ddl\/.*\.sql$/.test(path))
      .map(({ path }) => path),
    topics: paths.some((path) => path === "contract/topics.ts" || path === "contract/streams.ts"),
    alerts: under("dashboards/", /alert|signal/i),
    dashboards: under("dashboards/", /^(?!.*alert).*$/i),
    pictures: files.flatMap(({ status, path }) =>
      status !== "D" && PICTURES.includes(path) ? [path] : [],
    ),
  };
}
