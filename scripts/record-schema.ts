/** Records the schema that `sql/ddl` creates, for `ddl --verify`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedEngine } from "../embedded/engine.ts";
import { DECLARED_PATH } from "../warehouse/schema/differences.ts";
import { recordSchema } from "../warehouse/schema/record.ts";

const directory = mkdtempSync(join(tmpdir(), "schema-"));
const engine = new EmbeddedEngine(directory);
try {
  writeFileSync(DECLARED_PATH, `${JSON.stringify(await recordSchema(engine), null, 2)}\n`);
} finally {
  await engine.close();
  rmSync(directory, { recursive: true });
}
