import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A resource as the program declares it; the golden files hold whole programs of these. */
export interface Declared {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly options: {
    readonly ignoreChanges?: readonly string[];
    readonly replaceOnChanges?: readonly string[];
  };
}

/** Stands in a recorded program for a text that has a file of its own. */
export const LONG_TEXT = "<long text, with a golden file of its own>";

/** The program with the defaults; a test keeps it equal to what the program registers. */
const PROGRAM = "test/golden/stack-dev.json";

/** The program that a checkout records, or nothing where it records none. */
export function readProgram(checkout: string): Declared[] | undefined {
  const file = join(checkout, PROGRAM);
  if (!existsSync(file)) return undefined;
  const resources = JSON.parse(readFileSync(file, "utf8")) as Declared[];
  return resources.map((one) => ({ ...one, inputs: readable(one, checkout) }));
}

/** Long texts where they stand, and lists by their items' names: a difference names the item. */
function readable({ name, inputs }: Declared, checkout: string): Record<string, unknown> {
  const uid = name.replace(/^dashboards-/, "");
  const { configJson, uploads, rules } = inputs;
  return {
    ...inputs,
    ...(configJson === LONG_TEXT
      ? { configJson: textIn(checkout, `test/golden/grafana/dashboards/${uid}/${uid}.json`) }
      : {}),
    ...(Array.isArray(uploads) ? { uploads: uploadsBy(uploads, checkout) } : {}),
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
  "/files/alert-log.mjs": "pipeline/monitoring/alert-log.mjs",
};

const uploadsBy = (uploads: readonly Upload[], checkout: string) =>
  Object.fromEntries(
    uploads.map(({ file, content }) => {
      const source = content === LONG_TEXT ? UPLOADED[file] : undefined;
      return [file, source ? textIn(checkout, source) : content];
    }),
  );

const byName = (items: readonly { readonly name: string }[]) =>
  Object.fromEntries(items.map((item) => [item.name, item]));

function textIn(checkout: string, path: string): string {
  const file = join(checkout, path);
  return existsSync(file) ? readFileSync(file, "utf8") : LONG_TEXT;
}
