import { z } from "zod";
import { VARIABLE_NAMES, type VariableName } from "../../generator/variables.ts";
import { cpus, flag, memory, nodeImage, port } from "../config-fields.ts";

/** Variables of the generator that the stack sets, with the reason. */
export const FIXED_VARIABLES: Readonly<Partial<Record<VariableName, string>>> = {
  KAFKA_BOOTSTRAP_SERVERS: "Kafka's address inside the stack (kafka.mode=external moves it)",
  GEN_DATA_DIR: "the data folder inside the container",
  GEN_ENABLED: "generator.enabled",
};

const value = z
  .union([z.string(), z.number(), z.boolean()], { error: "must be text, a number or true/false" })
  .transform(String)
  .optional();

const variables = Object.fromEntries(
  VARIABLE_NAMES.filter((name) => !(name in FIXED_VARIABLES)).map((name) => [name, value]),
) as Record<VariableName, typeof value>;

export const generatorConfig = z
  .strictObject({
    deploy: flag(true).describe("Deploys a generator"),
    enabled: z
      .boolean({ error: "must be true or false" })
      .optional()
      .describe(
        "Publishes events; if false, the generator is in standby. Without it true in live mode, false in bare mode",
      ),
    image: nodeImage(),
    port: port(9109, "the generator (`/metrics`, `/healthz`, `/status`, `/control`)"),
    memoryMiB: memory(512, 256),
    cpus: cpus(1),
    settings: z.strictObject(variables).prefault({}).describe("Variables of the generator"),
  })
  .prefault({});

export type GeneratorSettings = z.infer<typeof generatorConfig>;
