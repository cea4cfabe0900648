import { z } from "zod";

/** What a service adds to the stack's configuration. */
export interface ServiceConfig<
  S extends z.ZodType = z.ZodType,
  I extends Readonly<Record<string, string>> = Readonly<Record<string, string>>,
> {
  /** Its block; absent, every default holds. */
  readonly block: S;
  /** The forms that the block may have: the docs and messages about keys read them. */
  readonly forms: readonly z.ZodObject[];
  /** Blocks within the block, by key. */
  readonly nested: Readonly<Record<string, z.ZodObject>>;
  /** Official images by the setting under `images` that replaces each. Tags are exact. */
  readonly images: I;
}

type Images = Readonly<Record<string, string>>;
type Nested = ServiceConfig["nested"];

/** A service that always runs a container of its own. */
export const serviceConfig = <F extends z.ZodRawShape, I extends Images>(
  form: z.ZodObject<F>,
  images: I,
  nested: Nested = {},
) => ({ block: form.prefault({} as never), forms: [form], nested, images }) as const;

const modes = { error: "must be container or external" };

/** A service in a container, or the address of one that exists already. */
export const externalConfig = <
  C extends Form<"container">,
  E extends Form<"external">,
  I extends Images,
>(
  container: C,
  external: E,
  images: I,
  nested: Nested = {},
) =>
  ({
    block: z.preprocess(
      containerByDefault,
      z.discriminatedUnion("mode", [container, external], modes),
    ),
    forms: [container, external],
    nested,
    images,
  }) as const;

type Form<M extends string> = z.ZodObject<{ mode: z.ZodLiteral<M> }>;

const containerByDefault = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("mode" in value)
    ? { mode: "container", ...value }
    : (value ?? { mode: "container" });
