import { z } from "zod";

/** A field with one message for every failure: the allowed values. */
export const port = (fallback: number, of: string) => {
  const error = "must be a port from 1 to 65535";
  return z
    .int({ error })
    .min(1, { error })
    .max(65_535, { error })
    .default(fallback)
    .describe(`Port of ${of} on this machine`);
};

/** Memory limit, MiB. A live stack ran with the smallest values of all services together. */
export const memory = (fallback: number, least: number, note = " (smallest tested)") => {
  const error = `must be an integer from ${least}${note} to 1048576`;
  return z
    .int({ error })
    .min(least, { error })
    .max(1_048_576, { error })
    .default(fallback)
    .describe("Memory limit, MiB");
};

/** Memory limit, MiB, of a service whose image no test could pull. */
export const untestedMemory = (fallback: number, least: number) => memory(fallback, least, "");

/** Number of cores; the container engine returns one decimal below 10 unchanged. */
export const cpus = (fallback: number) => {
  const error = "must be cores from 0.1 to 9.9 with one decimal";
  const number = z
    .number({ error })
    .min(0.1, { error })
    .max(9.9, { error })
    .refine((value) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-9, { error })
    .default(fallback);
  return z.preprocess(numberOf, number).describe("Limit of processor cores");
};

/** Parses a number, because `pulumi config set --path` writes decimals as text. */
const numberOf = (value: unknown): unknown =>
  typeof value === "string" && value.trim() !== "" ? Number(value) : value;

export const integer = (fallback: number, least: number, most: number) => {
  const error = `must be an integer from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error }).default(fallback);
};

export const flag = (fallback: boolean) =>
  z.boolean({ error: "must be true or false" }).default(fallback);

export const text = (allowed: string, pattern: RegExp) => {
  const error = `must be ${allowed}`;
  return z.string({ error }).regex(pattern, { error });
};

export const optionalEntries = <K extends string, S extends z.ZodType>(
  names: readonly K[],
  schema: S,
) =>
  Object.fromEntries(names.map((name) => [name, schema.optional()])) as Record<K, z.ZodOptional<S>>;

export const userName = text("a user name without spaces", /^\S+$/);

/** Largest generation of an encryption key; all generations are kept. */
export const MAX_GENERATIONS = 1000;
