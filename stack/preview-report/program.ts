import type { Inputs } from "./changes.ts";

export interface Declared {
  readonly type: string;
  readonly name: string;
  readonly parent?: string;
  readonly inputs: Inputs;
  readonly options: {
    readonly ignoreChanges?: readonly string[];
    readonly replaceOnChanges?: readonly string[];
    readonly aliases?: readonly string[];
    /** URNs. */
    readonly formerParents?: readonly string[];
  };
}

export type ReadText = (path: string) => string | undefined;

/** Placeholder in a recorded program for a text with its own golden file. */
export const LONG_TEXT = "<long text, with a golden file of its own>";

export const PROGRAM = "test/golden/stack-dev.json";

/** Empty if the version records none. */
export const readProgram = (read: ReadText): Declared[] =>
  (JSON.parse(read(PROGRAM) ?? "[]") as Declared[]).map((one) => ({
    ...one,
    inputs: readable(one, read),
  }));

/** Puts long texts in their places, and lists under their items' names, for readable differences. */
function readable({ name, inputs }: Declared, read: ReadText): Inputs {
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

/** Other long texts change a digest of the service that reads them. */
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
