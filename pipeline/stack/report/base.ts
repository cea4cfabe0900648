import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readDeclared } from "../../schema/compare.ts";
import type { Preview } from "../preview.ts";
import { compareDeclared } from "./declared.ts";
import type { FileMeaning } from "./files.ts";
import { type Declared, readProgram } from "./program.ts";
import { meaningOfSchema, objectsIn, type SchemaMeaning } from "./schema.ts";

/** What a change is compared with that no running stack knows of: the base's own records. */
export interface Comparison {
  /** The whole program with the defaults; nothing where the base records none. */
  readonly declared: Preview | undefined;
  /** Services of that program, as the head declares it. */
  readonly services: readonly string[];
  readonly schema: SchemaMeaning | undefined;
}

/** @param base,head checkouts of the two */
export function compareWithBase(base: string, head: string, files: FileMeaning): Comparison {
  const [before, after = []] = [readProgram(base), readProgram(head)];
  return {
    declared: before && compareDeclared(before, after, files.paths, head),
    services: after.filter(isService).map(({ name }) => name.replace(/-service$/, "")),
    schema: compareSchemas(base, head, files),
  };
}

const isService = ({ type, inputs }: Declared): boolean =>
  type === "docker:index/container:Container" && inputs.start !== false;

const SCHEMA = "sql/schema.json";

function compareSchemas(base: string, head: string, files: FileMeaning): SchemaMeaning | undefined {
  if (!existsSync(join(base, SCHEMA))) return undefined;
  const touched = files.ddl.flatMap((path) => objectsIn(readFileSync(join(head, path), "utf8")));
  return meaningOfSchema(
    readDeclared(join(base, SCHEMA)),
    readDeclared(join(head, SCHEMA)),
    touched,
  );
}
