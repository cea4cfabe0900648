import { z } from "zod";

/** Volume with data, declared in the service's configuration; its resource is `<service>-<role>`. */
export interface DataVolume {
  readonly role: string;
  /** Name in the engine, after the stack's prefix. */
  readonly name: string;
  readonly path: string;
  /** `disposable`: data that a service collects again, or keeps for convenience. */
  readonly loss: "irreplaceable" | "disposable";
  /** Settings that keep it; by default those that deploy the service. */
  readonly keptWith?: string;
}

type Texts = Readonly<Record<string, string>>;
type Nested = Readonly<Record<string, z.ZodObject>>;

interface Parts<I extends Texts, S extends Texts> {
  /** Official images by the setting under `images` that replaces each, with exact tags. */
  readonly images?: I;
  readonly secrets?: S;
  readonly nested?: Nested;
  readonly volumes?: readonly DataVolume[];
  /** Setting that deploys the service, for messages; by default `<name>.enabled`. */
  readonly deployedWith?: string;
  /** Commands of the pipeline that need the service. */
  readonly commands?: readonly string[];
}

export interface ServiceConfig<
  B extends z.ZodType = z.ZodType,
  I extends Texts = Texts,
  S extends Texts = Texts,
> {
  /** Schema of the block; if the block is absent, every default applies. */
  readonly block: B;
  /** Object schemas of the block, for docs and messages about keys. */
  readonly forms: readonly z.ZodObject[];
  readonly images: I;
  readonly secrets: S;
  readonly nested: Nested;
  readonly volumes: readonly DataVolume[];
  readonly deployedWith: string | undefined;
  readonly commands: readonly string[];
}

// biome-ignore lint/complexity/noBannedTypes: without images there are no names of images.
type None = {};

const partsOf = <I extends Texts, S extends Texts>(parts: Parts<I, S>) => ({
  images: (parts.images ?? {}) as I,
  secrets: (parts.secrets ?? {}) as S,
  nested: parts.nested ?? {},
  volumes: parts.volumes ?? [],
  deployedWith: parts.deployedWith,
  commands: parts.commands ?? [],
});

export const serviceConfig = <
  F extends z.ZodRawShape,
  I extends Texts = None,
  S extends Texts = None,
>({
  settings,
  ...parts
}: Parts<I, S> & { readonly settings: z.ZodObject<F> }) => ({
  block: settings.prefault({} as never),
  forms: [settings],
  ...partsOf(parts),
});

type Form<M extends string> = z.ZodObject<{ mode: z.ZodLiteral<M> }>;

const modes = { error: "must be container or external" };

export const externalConfig = <
  C extends Form<"container">,
  E extends Form<"external">,
  I extends Texts = None,
  S extends Texts = None,
>({
  container,
  external,
  ...parts
}: Parts<I, S> & { readonly container: C; readonly external: E }) => ({
  block: z.preprocess(
    containerByDefault,
    z.discriminatedUnion("mode", [container, external], modes),
  ),
  forms: [container, external],
  ...partsOf(parts),
});

const containerByDefault = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("mode" in value)
    ? { mode: "container", ...value }
    : (value ?? { mode: "container" });
