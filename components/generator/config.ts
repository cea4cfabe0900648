import { z } from "zod";
import { VARIABLE_NAMES, type VariableName } from "../../generator/variables.ts";
import { cpus, flag, memory, optionalEntries, port } from "../shared/config-fields.ts";
import { type DataVolume, serviceConfig } from "../shared/service-config.ts";

const settingValue = z
  .union([z.string(), z.number(), z.boolean()], { error: "must be text, a number or true/false" })
  .transform(String);

/** Variables that the stack sets, with the reason. */
export const FIXED_VARIABLES = {
  KAFKA_BOOTSTRAP_SERVERS: "the broker's address inside the stack (broker.mode=external moves it)",
  GEN_DATA_DIR: "the data folder inside the container",
  GEN_ENABLED: "generator.enabled",
} as const satisfies Partial<Record<VariableName, string>>;

const SETTING_NAMES = VARIABLE_NAMES.filter((name) => !(name in FIXED_VARIABLES));

const generatorSettings = z.strictObject(
  optionalEntries<VariableName, typeof settingValue>(SETTING_NAMES, settingValue),
);

export const generatorData = {
  role: "data",
  name: "generator-data",
  path: "/data",
  loss: "irreplaceable",
} as const satisfies DataVolume;

export const generatorConfig = serviceConfig({
  settings: z.strictObject({
    deploy: flag(true).describe("Deploys a generator"),
    enabled: z
      .boolean({ error: "must be true or false" })
      .optional()
      .describe(
        "Publishes events; if false, the generator is in standby. Without it true in live mode, false in bare mode",
      ),
    port: port(9109, "the generator (`/metrics`, `/healthz`, `/status`, `/control`)"),
    memoryMiB: memory(512, 256),
    cpus: cpus(1),
    settings: generatorSettings.prefault({}).describe("Variables of the generator"),
  }),
  deployedWith: "generator.deploy",
  commands: ["generator"],
  volumes: [generatorData],
  images: { node: "node:24.19.0-bookworm-slim" },
  secrets: { controlToken: "Bearer token of the generator's control endpoint" },
  nested: { settings: generatorSettings },
});

type Block = z.infer<typeof generatorConfig.block>;
export type GeneratorConfig = Block & { readonly enabled: boolean };

/** Adds the default that depends on the stack's mode: in bare mode nothing is published. */
export const withMode = (block: Block, mode: "live" | "bare"): GeneratorConfig => ({
  ...block,
  enabled: block.enabled ?? mode === "live",
});
