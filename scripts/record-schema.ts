/** Records the schema that `sql/ddl` creates, for `ddl --verify`. */
import { writeFileSync } from "node:fs";
import { withTemporaryWorkspace } from "../warehouse/database/open.ts";
import { DECLARED_PATH, recordOf, schemaOf } from "../warehouse/declared.ts";
import { recordSchema } from "../warehouse/schema/record.ts";

const schema = schemaOf(await withTemporaryWorkspace(recordSchema));
writeFileSync(DECLARED_PATH, recordOf(schema));
