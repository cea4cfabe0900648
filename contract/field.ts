import { z } from "zod";

/** A JSON field of a message and its column in `ods`. */
export interface Field<S extends z.ZodType = z.ZodType> {
  /** Schema in the JSON payload; the generator's types are inferred from it. */
  readonly json: S;
  /** Column type in `ods`; Nullable or empty for a field that may be absent or bad. */
  readonly column: string;
  /** Type in which `load_ods` reads the field, if the column's type cannot tell a bad value from an absent one. */
  readonly parsed?: string;
  readonly description: string;
}

/** Wire format of an instant: UTC, microseconds, as ClickHouse prints it. */
export const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/;

export const uuidKey = (description: string) => ({
  json: z.uuid(),
  column: "UUID",
  parsed: "Nullable(UUID)",
  description,
});

export const instant = (description: string) => ({
  json: z.string().regex(TIMESTAMP_PATTERN),
  column: "DateTime64(6, 'UTC')",
  parsed: "Nullable(String)",
  description,
});

/** Free text with many values. */
export const text = (description: string) => ({
  json: z.string(),
  column: "String",
  description,
});

/** Text with few distinct values: dictionary-encoded in the database. */
export const category = (description: string) => ({
  json: z.string(),
  column: "LowCardinality(String)",
  description,
});

/** A field that messages may lack. */
export const optional = <S extends z.ZodType>({ json, ...field }: Field<S>) => ({
  json: json.optional(),
  ...field,
});

/** Amount of money; a decimal, so that sums do not depend on the order. */
export const amount = (description: string) => ({
  json: z.number().min(0),
  column: "Nullable(Decimal(18, 4))",
  parsed: "Nullable(String)",
  description,
});

export const currencyCode = (description: string) => ({
  json: z.string().regex(/^[A-Z]{3}$/),
  column: "LowCardinality(String)",
  description,
});

export const textMap = (description: string) => ({
  json: z.record(z.string(), z.string()),
  column: "Map(String, String)",
  description,
});

export const flag = (description: string) => ({
  json: z.boolean(),
  column: "Nullable(Bool)",
  description,
});

export const degrees = (limit: 90 | 180, description: string) => ({
  json: z.number().min(-limit).max(limit),
  column: "Nullable(Float64)",
  description,
});

export const nullableUuid = (description: string) => ({
  json: z.uuid().nullable(),
  column: "Nullable(UUID)",
  parsed: "Nullable(String)",
  description,
});
