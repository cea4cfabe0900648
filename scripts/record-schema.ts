/** Records the schema that `sql/ddl` creates, for `ddl --verify`. */
import { writeFileSync } from "node:fs";
import { withTemporaryWorkspace } from "../warehouse/database/open.ts";
import { DECLARED_PATH, type DeclaredSchema, ddlDigest } from "../warehouse/declared.ts";
import { recordSchema } from "../warehouse/schema/record.ts";

const objects = await withTemporaryWorkspace(recordSchema);
const schema: DeclaredSchema = { ddl: ddlDigest(), objects };
writeFileSync(DECLARED_PATH, `${JSON.stringify(schema, null, 2)}\n`);
