import { existsSync, readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { fileFailure } from "../../contract/files.ts";
import { funnelSchema } from "../../contract/funnel.ts";
import { EVENT_TYPES } from "../../contract/streams.ts";
import { FIELDS } from "./fields.ts";
import { explainIssue } from "./mapping-error.ts";
import { NAMED_FORMATS, patternOf, TOKEN_NAMES } from "./time.ts";
import { isZone } from "./zone.ts";

const FIELD_NAMES = Object.keys(FIELDS);

const perField = <S extends z.ZodType>(names: readonly string[], schema: S) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, schema.optional()])));

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const isIdentity = (name: string): boolean => name === "event_id" || name === "event_timestamp";

const time = z.strictObject({
  format: z.string().refine((text) => NAMED_FORMATS.includes(text) || patternOf(text) !== null, {
    error: `is not a time format. Allowed: ${NAMED_FORMATS.join(", ")}, or a pattern with a date, of the tokens ${TOKEN_NAMES.join(" ")}`,
  }),
  zone: z.string().refine(isZone, {
    error: "is not a time zone. Allowed: UTC, or a name such as Europe/Berlin",
  }),
});

const isEventType = (value: unknown): boolean => EVENT_TYPES.some((type) => type === value);

const mappingSchema = z.strictObject({
  /** Format of the `event_timestamp` column. */
  time,
  /** Separator of a CSV file; a tab for .tsv. */
  delimiter: z.string().length(1).optional(),
  /** Field → column of the file, or path in a JSON object such as `user.id`. */
  columns: perField(FIELD_NAMES, z.string().min(1)).refine(
    (columns) =>
      columns.event_timestamp !== undefined &&
      (columns.click_id ?? columns.user_custom_id) !== undefined,
    {
      error:
        "needs event_timestamp (column of the time) and click_id (column of the session). Without click_id, needs user_custom_id (column of the visitor)",
    },
  ),
  /** Minutes of inactivity that end a derived session; unused with a `click_id` column. */
  session_minutes: z.int().min(1).max(1440).default(30),
  /** Field → value used where the field has no column, or an empty one. */
  constants: perField(
    FIELD_NAMES.filter((name) => !isIdentity(name) && name !== "click_id"),
    scalar,
  )
    .superRefine(({ event_type: type }, context) => {
      if (type !== undefined && !isEventType(type)) refuseEventType(context, "event_type");
    })
    .default({}),
  /** Stages of the site with their pages; the default is that of the demo shop. */
  funnel: funnelSchema.optional(),
  /** Field → value of the file → value to load; `"*"` matches any other value. */
  values: perField(
    FIELD_NAMES.filter((name) => !isIdentity(name)),
    z.record(z.string(), scalar),
  )
    .superRefine(({ event_type: types = {} }, context) => {
      const wrong = Object.entries(types).find(([, type]) => !isEventType(type));
      if (wrong) refuseEventType(context, "event_type", wrong[0]);
    })
    .default({}),
});
export type Mapping = z.infer<typeof mappingSchema>;

function refuseEventType(context: z.core.$RefinementCtx, ...path: string[]): void {
  context.addIssue({
    code: "custom",
    path,
    message: `is not an event type. Allowed: ${EVENT_TYPES.join(", ")}`,
  });
}

/** Reads a mapping file. @throws UserError with file, line, value and allowed values */
export function readMapping(file: string): Mapping {
  return parseMapping(readText(file), file);
}

function readText(file: string): string {
  if (!existsSync(file)) {
    throw new UserError(
      `The mapping ${file} does not exist`,
      `write one: pipeline import FILE --write-mapping ${file}`,
    );
  }
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw fileFailure(error, `The mapping ${file}`) ?? error;
  }
}

export function parseMapping(text: string, file: string): Mapping {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [mistake] = document.errors;
  if (mistake) {
    throw new UserError(
      `${file}:${lines.linePos(mistake.pos[0]).line} is not YAML: ${mistake.message.split("\n")[0]}`,
      "correct the line; docs/how-to/load-your-own-clickstream.md has an example",
    );
  }
  const parsed = mappingSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  throw explainIssue(file, document, lines, parsed.error.issues[0] as z.core.$ZodIssue);
}
