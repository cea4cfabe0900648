import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CONTENT as schemaContent } from "../../../components/clickhouse/schema.ts";
import { CONTENT as topicsContent } from "../../../components/kafka/topics.ts";
import { ROOT } from "../../../components/shared/state.ts";
import { CONTENT as supersetContent } from "../../../components/superset/index.ts";
import { importedFrom, importGraph } from "../../support/imports.ts";

const graph = importGraph("contract terminal kafka generator warehouse superset cli".split(" "));

/** Program of each command, and the content that it uses but does not write to its target. */
const COMMANDS = {
  topics: {
    program: "cli/topics.ts",
    digested: topicsContent,
    unwritten: [
      // Messages and sources, which a reset reads.
      ...["contract/defects.ts", "contract/manifest.ts", "contract/source.ts", "contract/time.ts"],
      "contract/truth.ts",
      ...["contract/field.ts", "sql/ddl", "sql/live", "sql/etl", "sql/checks/stored_offsets.sql"],
      // Connections and errors.
      ...["contract/broker.ts", "contract/secret.ts", "contract/files.ts"],
      ...["contract/errors.ts", "contract/command-call.ts", "contract/statement.ts"],
      ...["contract/tls.ts", "contract/settings.ts", "contract/import-account.ts"],
    ],
  },
  schema: {
    program: "cli/ddl.ts",
    digested: schemaContent,
    // A rebuild asks it first.
    unwritten: ["sql/checks/only_copies.sql"],
  },
  "superset-assets": {
    program: "cli/bi-init.ts",
    digested: supersetContent,
    unwritten: ["sql/ddl", "sql/live", "sql/etl"],
  },
};

/** Folders whose names are other words in these programs. */
const OTHER_WORDS = ["sql/history", "sql/import", "sql/sources"];

const CONTENT = /^(contract|sql|superset|dashboards)\//;

/** Returns the files and folders of content that a program imports or names. */
function contentOf(program: string): string[] {
  const files = [...importedFrom(graph, program)];
  return [...new Set([...files, ...files.flatMap(namedIn)])].filter((path) => CONTENT.test(path));
}

/** Returns the existing paths that a file's texts name, relative to it or to sql/. */
const namedIn = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), "utf8").matchAll(/"([\w./-]+)"/g)].flatMap(([, text = ""]) =>
    [join(dirname(file), text), join("sql", text)].filter(
      (path) => /\.(sql|ya?ml|json)$|^sql\/\w+$/.test(path) && existsSync(join(ROOT, path)),
    ),
  );

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

test.each(Object.entries(COMMANDS))(
  "the digest of %s has all content that it writes",
  (_, { program, digested, unwritten }) => {
    const content = contentOf(program).filter((path) => !isIn(path, [...digested, ...OTHER_WORDS]));
    expect(
      content.filter((path) => !isIn(path, unwritten)),
      "add the file to CONTENT of the component if the command writes its content, otherwise to `unwritten`",
    ).toEqual([]);
    // An exception that nothing uses would hide the next omission.
    expect(unwritten.filter((one) => !content.some((path) => isIn(path, [one])))).toEqual([]);
  },
);
