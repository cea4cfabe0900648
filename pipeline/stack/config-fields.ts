import { z } from "zod";
import { VARIABLE_NAMES, type VariableName } from "../../generator/variables.ts";
import { IMAGE_FORM, IMAGE_NAMES, type ImageName, isExactImage } from "./images.ts";

/** A field whose every failure says the same: what is allowed. */
export const port = (fallback: number) => {
  const error = "must be a port from 1 to 65535";
  return z.int({ error }).min(1, { error }).max(65_535, { error }).default(fallback);
};

/** The least was tried on a stack that lives (test/stack/least-memory.ts), but for brokerUi and dashboards. */
export const memory = (fallback: number, least: number) => {
  const error = `must be whole MiB from ${least}, below which it has not been seen to work, to 1048576`;
  return z.int({ error }).min(least, { error }).max(1_048_576, { error }).default(fallback);
};

/** One decimal below 10: the form the container engine reads back unchanged. */
export const cpus = (fallback: number) => {
  const error = "must be cores from 0.1 to 9.9 with one decimal";
  return z
    .number({ error })
    .min(0.1, { error })
    .max(9.9, { error })
    .refine((value) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-9, { error })
    .default(fallback);
};

/** A whole number of something. */
export const whole = (unit: string, fallback: number, least: number, most: number) => {
  const error = `must be whole ${unit} from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error }).default(fallback);
};

export const flag = (fallback: boolean) =>
  z.boolean({ error: "must be true or false" }).default(fallback);

export const text = (allowed: string, pattern: RegExp) => {
  const error = `must be ${allowed}`;
  return z.string({ error }).regex(pattern, { error });
};

/** Where a block has modes, the one that runs a container is meant unless another is named. */
export const containerByDefault = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("mode" in value)
    ? { mode: "container", ...value }
    : (value ?? { mode: "container" });

const settingValue = z
  .union([z.string(), z.number(), z.boolean()], { error: "must be text, a number or true/false" })
  .transform(String);

/** Set by the stack itself: the network inside the stack decides them, or another setting does. */
export const FIXED_VARIABLES = {
  KAFKA_BOOTSTRAP_SERVERS: "the broker's address inside the stack (broker.mode: external moves it)",
  GEN_DATA_DIR: "the data folder inside the container",
  GEN_ENABLED: "generator.enabled (make generator-up, make generator-down)",
} as const satisfies Partial<Record<VariableName, string>>;

export const SETTING_NAMES = VARIABLE_NAMES.filter((name) => !(name in FIXED_VARIABLES));

const optionalEntries = <K extends string, S extends z.ZodType>(names: readonly K[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema.optional()])) as Record<K, z.ZodOptional<S>>;

export const generatorSettings = z
  .strictObject(optionalEntries<VariableName, typeof settingValue>(SETTING_NAMES, settingValue))
  .prefault({});

const exactImage = z
  .string({ error: `must be ${IMAGE_FORM}` })
  .refine(isExactImage, { error: `must be ${IMAGE_FORM}` });

export const imageOverrides = z
  .strictObject(optionalEntries<ImageName, typeof exactImage>(IMAGE_NAMES, exactImage))
  .prefault({});
