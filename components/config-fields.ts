import { z } from "zod";
import { IMAGE_FORM, isExactImage, withDigest } from "./shared/image-lock.ts";

/** Returns the forms of a block: one object, or one for each mode. */
export function formsOf(schema: unknown): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(formsOf);
  return schema instanceof z.ZodPrefault ? formsOf(schema.unwrap()) : [];
}

/** What a port speaks; `tcp` is another protocol than HTTP. */
export type Protocol = "http" | "tcp" | "udp";

/** What a setting is for, by which checks and pages find it. */
export interface Role {
  readonly kind: "port" | "memory" | "cpus" | "image";
  /** Of a port. */
  readonly protocol?: Protocol;
  /** Image that the setting replaces. */
  readonly official?: string;
}

/** Roles of the settings that have one. */
export const roles = z.registry<Role>();

/** Error of a field, with its value and what is allowed. */
export const must =
  (allowed: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    `must be ${allowed}, ${input === undefined ? "but is not set" : `not ${JSON.stringify(input)}`}`;

/** Settings of a service that `false` switches off. @param service its name for people @param isOn by default */
export const optional = <S extends z.ZodObject>(settings: S, service: string, isOn = true) =>
  z
    .union([z.literal(false), settings], { error: must("false or a block of settings") })
    .prefault((isOn ? {} : false) as never)
    .describe(isOn ? `\`false\` switches ${service} off` : `A block switches ${service} on`);

/** Settings of a server in a container, which is the default, or of an external one. */
export const containerOrExternal = <C extends ModeForm, E extends ModeForm>(
  container: C,
  external: E,
) =>
  z
    .discriminatedUnion("mode", [container, external], {
      error: ({ input }) => must("container or external")({ input: modeOf(input) }),
    })
    .prefault({} as never);

type ModeForm = z.ZodObject<{ mode: z.ZodType }>;

const modeOf = (input: unknown) =>
  typeof input === "object" && input !== null && "mode" in input ? input.mode : input;

/** A field with one message for every failure: the allowed values. */
export const port = (fallback: number, of: string, protocol: Protocol = "http") => {
  const error = must("a port from 1 to 65535");
  return z
    .int({ error })
    .min(1, { error })
    .max(65_535, { error })
    .default(fallback)
    .describe(`Port of ${of} on this machine`)
    .register(roles, { kind: "port", protocol });
};

/** Image to pull or to build on. The default is the official one, with its locked digest. */
export const image = (official: string) => {
  const error = must(IMAGE_FORM);
  return z
    .string({ error })
    .refine(isExactImage, { error })
    .default(official)
    .transform((name) => withDigest(name))
    .register(roles, { kind: "image", official });
};

/** Image with Node of the services that run TypeScript. */
export const nodeImage = () => image("node:24.19.0-bookworm-slim");

/** Memory limit, MiB. A live stack ran with the smallest values of most services together. */
export const memory = (fallback: number, least: number) => {
  const error = must(`an integer from ${least} to 1048576`);
  return z
    .int({ error })
    .min(least, { error })
    .max(1_048_576, { error })
    .default(fallback)
    .describe("Memory limit, MiB")
    .register(roles, { kind: "memory" });
};

/** Number of cores; the container engine returns one decimal below 10 unchanged. */
export const cpus = (fallback: number) => {
  const error = must("cores from 0.1 to 9.9 with one decimal");
  const number = z
    .number({ error })
    .min(0.1, { error })
    .max(9.9, { error })
    .refine((value) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-9, { error });
  // `pulumi config set --path` writes decimals as text.
  const text = z.string().regex(/\d/).transform(Number).pipe(number);
  return z
    .union([number, text], { error })
    .default(fallback)
    .describe("Limit of processor cores")
    .register(roles, { kind: "cpus" });
};

export const integer = (fallback: number, least: number, most: number) => {
  const error = must(`an integer from ${least} to ${most}`);
  return z.int({ error }).min(least, { error }).max(most, { error }).default(fallback);
};

export const flag = (fallback: boolean) =>
  z.boolean({ error: must("true or false") }).default(fallback);

export const text = (allowed: string, pattern: RegExp) => {
  const error = must(allowed);
  return z.string({ error }).regex(pattern, { error });
};

export const userName = text("a user name without spaces", /^\S+$/);

/** Number of an encryption key; all generations are kept. */
export const generation = integer(1, 1, 1000);
