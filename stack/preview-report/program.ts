import type { Inputs } from "./changes.ts";

export interface DeclaredResource {
  readonly type: string;
  readonly name: string;
  readonly parent?: string;
  readonly inputs: Inputs;
  readonly options: {
    readonly ignoreChanges?: readonly string[];
    readonly replaceOnChanges?: readonly string[];
    readonly aliases?: readonly string[];
    /** URNs of the previous parents. */
    readonly previousParents?: readonly string[];
  };
}

export type ReadText = (path: string) => string | undefined;

/** Placeholder in a recorded program for a text with its own golden file. */
export const LONG_TEXT = "<long text, with a golden file of its own>";

export const PROGRAM = "test/golden/stack-dev.json";

/** Reads the recorded program; empty if the version has none. */
export const readProgram = (read: ReadText): DeclaredResource[] =>
  (JSON.parse(read(PROGRAM) ?? "[]") as DeclaredResource[]).map((one) => ({
    ...one,
    inputs: readable(one, read),
  }));

/** Inserts long texts, and replaces lists by objects with item names, for readable differences. */
function readable({ name, inputs }: DeclaredResource, read: ReadText): Inputs {
  const uid = name.replace(/^dashboards-/, "");
  const { configJson, uploads, rules } = inputs;
  return {
    ...inputs,
    ...(configJson === LONG_TEXT
      ? { configJson: read(`test/golden/grafana/dashboards/${uid}/${uid}.json`) ?? LONG_TEXT }
      : {}),
    ...(Array.isArray(uploads) ? { uploads: uploadsBy(uploads, read) } : {}),
    ...(Array.isArray(rules) ? { rules: byName(rules) } : {}),
  };
}

interface Upload {
  readonly file: string;
  readonly content: string;
}

/** Golden files by uploaded file; other long texts change a digest of the service that reads them. */
const UPLOADED: Readonly<Record<string, string>> = {
  "/files/rules.yml": "test/golden/prometheus/rules.yml",
  "/files/alert-log.mjs": "dashboards/delivery/alert-log.mjs",
};

const uploadsBy = (uploads: readonly Upload[], read: ReadText) =>
  Object.fromEntries(
    uploads.map(({ file, content }) => {
      const source = content === LONG_TEXT ? UPLOADED[file] : undefined;
      return [file, (source && read(source)) ?? content];
    }),
  );

const byName = (items: readonly { readonly name: string }[]) =>
  Object.fromEntries(items.map((item) => [item.name, item]));
