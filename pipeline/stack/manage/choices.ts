import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { isSecretName, type SecretName } from "../secrets.ts";
import { ROOT, stackFolder, writePrivate } from "../state.ts";
import { configFile } from "./pulumi.ts";

/** `living`: a week of history that ends now, then current events. `bare`: services only. */
export const MODES = ["living", "bare"] as const;
export type Mode = (typeof MODES)[number];

/** What was decided for a stack on this machine, beside its committed configuration. */
const choicesSchema = z.strictObject({
  /** Configuration it starts from: a file, or the name of a committed `Pulumi.<base>.yaml`. */
  base: z.string(),
  portOffset: z.int().optional(),
  generatorEnabled: z.boolean().optional(),
  /** Of Superset's secret key; `rotate-bi-key` adds one. */
  secretKeyGeneration: z.int().optional(),
  /** Whether its last change has not been brought up yet. */
  isRotating: z.boolean().optional(),
  /** How it was started: its data come from that. Absent before the first start. */
  mode: z.enum(MODES).optional(),
});
export type Choices = z.infer<typeof choicesSchema>;

const choicesFile = (stack: string): string => join(stackFolder(stack), "choices.json");

/** Whether anything was decided: not yet for a stack whose first start was refused. */
export const isChosen = (stack: string): boolean => existsSync(choicesFile(stack));

export const readChoices = (stack: string): Choices =>
  isChosen(stack)
    ? choicesSchema.parse(JSON.parse(readFileSync(choicesFile(stack), "utf8")))
    : { base: stack };

export function writeChoices(stack: string, choices: Choices): void {
  writePrivate(choicesFile(stack), `${JSON.stringify(choices, null, 2)}\n`);
}

/** Puts back what was decided before: of a change that was refused, nothing stays. */
export function rememberChoices(stack: string): () => void {
  const file = choicesFile(stack);
  const former = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  return () => {
    if (former === undefined) rmSync(file, { force: true });
    else writePrivate(file, former);
    if (former !== undefined && existsSync(configFile(stack))) writeConfigFile(stack);
  };
}

export const committedConfig = (base: string): string =>
  base.endsWith(".yaml") ? resolve(ROOT, base) : join(ROOT, `Pulumi.${base}.yaml`);

type Blocks = Record<string, unknown>;

/** Blocks by component name: the committed configuration with this machine's choices on top. */
export function configBlocks(stack: string): Blocks {
  const { base, portOffset, generatorEnabled, secretKeyGeneration, mode } = readChoices(stack);
  const blocks = readCommitted(base);
  if (portOffset !== undefined) blocks.network = { ...asBlock(blocks.network), portOffset };
  if (generatorEnabled !== undefined) {
    blocks.generator = { ...asBlock(blocks.generator), enabled: generatorEnabled };
  }
  if (secretKeyGeneration !== undefined) {
    blocks.bi = { ...asBlock(blocks.bi), secretKeyGeneration };
  }
  if (mode !== undefined) blocks.mode = mode === "living" ? "live" : mode;
  return blocks;
}

const asBlock = (value: unknown): object =>
  typeof value === "object" && value !== null ? value : {};

function readCommitted(base: string): Blocks {
  const file = committedConfig(base);
  if (!existsSync(file)) {
    throw new UserError(
      `There is no configuration ${file}.`,
      "make up CONFIG=dev, CONFIG=offline or CONFIG=a/file.yaml",
    );
  }
  const document = parse(readFileSync(file, "utf8")) as { config?: Blocks } | null;
  const prefix = `${PROJECT}:`;
  const entries = Object.entries(document?.config ?? {});
  const [strange] = entries.find(([key]) => !key.startsWith(prefix)) ?? [];
  if (strange !== undefined) {
    throw new UserError(
      `${file} sets ${strange}; every key begins with ${prefix}, like ${prefix}broker.`,
      `write ${prefix}${strange.split(":").at(-1)} there, then the same command`,
    );
  }
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** Secrets that the user has set, encrypted, in the file Pulumi reads. */
function secretEntries(stack: string): Blocks {
  const file = configFile(stack);
  const { config = {} } = existsSync(file) ? (parse(readFileSync(file, "utf8")) ?? {}) : {};
  const isSecret = ([key]: [string, unknown]) => isSecretName(key.slice(`${PROJECT}:`.length));
  return Object.fromEntries(Object.entries(config as Blocks).filter(isSecret));
}

export const configuredSecrets = (stack: string): ReadonlySet<SecretName> =>
  new Set(
    Object.keys(secretEntries(stack))
      .map((key) => key.slice(`${PROJECT}:`.length))
      .filter(isSecretName),
  );

/** Writes the file Pulumi reads, keeping what Pulumi itself put there: secrets and their salt. */
export function writeConfigFile(stack: string): void {
  const file = configFile(stack);
  const present = existsSync(file) ? (parse(readFileSync(file, "utf8")) ?? {}) : {};
  const config = Object.fromEntries(
    Object.entries(configBlocks(stack)).map(([key, value]) => [`${PROJECT}:${key}`, value]),
  );
  writePrivate(file, stringify({ ...present, config: { ...config, ...secretEntries(stack) } }));
}
