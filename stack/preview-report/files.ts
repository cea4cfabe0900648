import { DASHBOARD_UIDS } from "../../dashboards/uids.ts";

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

const PICTURES = Object.values(DASHBOARD_UIDS).map((uid) => `docs/images/${uid}.png`);

export const changedPictures = (files: readonly ChangedFile[]): string[] =>
  files
    .filter(({ status, path }) => status !== "D" && PICTURES.includes(path))
    .map(({ path }) => path);

export const changedDdl = (files: readonly ChangedFile[]): string[] =>
  files
    .filter(({ status, path }) => status === "M" && /^sql\/ddl\/.*\.sql$/.test(path))
    .map(({ path }) => path);
