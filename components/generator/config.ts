import { z } from "zod";
import { VARIABLE_NAMES, type VariableName } from "../../generator/variables.ts";
import { cpus, memory, must, nodeImage, port } from "../config-fields.ts";

/** Variables of the generator that the stack sets, with the reason. */
export const FIXED_VARIABLES: Readonly<Partial<Record<VariableName, string>>> = {
  KAFKA_BOOTSTRAP_SERVERS: "Kafka's address inside the stack (kafka.mode=external moves it)",
  GEN_DATA_DIR: "the data folder inside the container",
  GEN_ENABLED: "generator.enabled",
};

const value = z
  .union([z.string(), z.number(), z.boolean()], { error: must("text, a number or true/false") })
  .transform(String)
  .optional();

const fixed = (owner: string) => z.never({ error: `is fixed: it is ${owner}` }).optional();

const variables = Object.fromEntries(
  VARIABLE_NAMES.map((name) => {
    const owner = FIXED_VARIABLES[name];
    return [name, owner ? fixed(owner) : value];
  }),
) as Record<VariableName, typeof value>;

export const generatorConfig = z.strictObject({
  enabled: z
    .boolean({ error: must("true or false") })
    .optional()
    .describe(
      "Publishes events; if false, the generator is in standby. Without it true in live mode, false in bare mode",
    ),
  image: nodeImage(),
  port: port(9109, "the generator (`/metrics`, `/healthz`, `/status`, `/control`)"),
  memoryMiB: memory(512, 256),
  cpus: cpus(1),
  settings: z.strictObject(variables).prefault({}).describe("Variables of the generator"),
});

export type GeneratorSettings = z.infer<typeof generatorConfig>;
