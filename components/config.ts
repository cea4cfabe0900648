import { z } from "zod";
import { FIXED_VARIABLES, type GeneratorConfig, withMode } from "./generator/config.ts";
import { type ImageName, images, services } from "./registry.ts";
import { isSecretName, secrets, setSecretCommand } from "./secrets.ts";
import { type KnownKeys, refuseConfig } from "./shared/config-error.ts";
import { flag, optionalEntries } from "./shared/config-fields.ts";
import { IMAGE_FORM, isExactImage } from "./shared/image-lock.ts";
import type { ServiceConfig } from "./shared/service-config.ts";

type Services = typeof services;
type Blocks = { [Name in keyof Services]: Services[Name]["block"] };

const all = Object.entries(services) as [keyof Services, ServiceConfig][];
const blocks = Object.fromEntries(all.map(([name, { block }]) => [name, block])) as Blocks;

const exactImage = z
  .string({ error: `must be ${IMAGE_FORM}` })
  .refine(isExactImage, { error: `must be ${IMAGE_FORM}` });

const imageNames = Object.keys(images) as ImageName[];

/** Settings outside the services' blocks. */
export const generalSettings = z.strictObject({
  mode: z
    .enum(["live", "bare"], { error: "must be live or bare" })
    .optional()
    .describe(
      "`live`: a week of history, then current events and scheduled loads; `bare`: services only, and the generator in standby. Without it `live`, or `bare` with an external broker or database",
    ),
  protectData: flag(false).describe(
    "Pulumi refuses to delete irreplaceable volumes and encryption keys, also for `pulumi destroy`",
  ),
});

const stackConfigSchema = z.strictObject({
  ...generalSettings.shape,
  ...blocks,
  images: z
    .strictObject(optionalEntries<ImageName, typeof exactImage>(imageNames, exactImage))
    .prefault({}),
});

type ConfigInput = z.infer<typeof stackConfigSchema>;
export type StackConfig = ConfigInput & {
  readonly mode: NonNullable<ConfigInput["mode"]>;
  readonly generator: GeneratorConfig;
};

export const CONFIG_BLOCKS: Readonly<Record<string, readonly z.ZodObject[]>> = Object.fromEntries(
  all.flatMap(([name, { forms, nested }]) => [
    [name, forms],
    ...Object.entries(nested).map(([key, form]) => [`${name}.${key}`, [form]]),
  ]),
);

const keysOf = (schemas: readonly { readonly shape: object }[]): string[] => [
  ...new Set(schemas.flatMap((schema) => Object.keys(schema.shape))),
];

export const TOP_KEYS = keysOf([stackConfigSchema]);

const known: KnownKeys = {
  "": [...TOP_KEYS, ...Object.keys(secrets)],
  ...Object.fromEntries(
    Object.entries(CONFIG_BLOCKS).map(([block, schemas]) => [block, keysOf(schemas)]),
  ),
  images: imageNames,
};

const FIXED: Readonly<Record<string, string>> = FIXED_VARIABLES;

function explain(path: string): string | undefined {
  const key = path.split(".").at(-1) ?? "";
  if (path.startsWith("generator.settings.") && FIXED[key]) return `fixed, it is ${FIXED[key]}`;
  return isSecretName(key) ? `is a secret: ${setSecretCommand(key)}` : undefined;
}

/** Validates the configuration and adds the defaults. @throws UserError that lists every bad value */
export function parseStackConfig(raw: Readonly<Record<string, unknown>>): StackConfig {
  const parsed = stackConfigSchema.safeParse(raw);
  if (!parsed.success) return refuseConfig(raw, parsed.error.issues, { known, explain });
  const mode = parsed.data.mode ?? defaultMode(parsed.data);
  return { ...parsed.data, mode, generator: withMode(parsed.data.generator, mode) };
}

/** Returns bare mode, which writes no history, for an external broker or database. */
const defaultMode = ({ broker, database }: ConfigInput): StackConfig["mode"] =>
  broker.mode === "container" && database.mode === "container" ? "live" : "bare";
