import { z } from "zod";
import type { StackConfig } from "../../components/config.ts";
import { parseStackConfig } from "../../components/config-rules.ts";
import { type ConfigValue, readProjectConfig } from "../../components/project-config.ts";
import { PROJECT } from "../../components/shared/names.ts";
import { askStack, openStack, requireStack, type Stack } from "./workspace.ts";

const listing = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional(), secret: z.boolean() }),
);

/** Asks Pulumi for the values that the program will get: of the stack's file, the project's and environments. */
export async function readValues(stack: Stack): Promise<Map<string, ConfigValue>> {
  const values = listing.parse(JSON.parse(await askStack(stack, "config", "--json")));
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(values)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, { value = "", secret }]) => [
        key.slice(prefix.length),
        { text: secret ? null : value, isEncrypted: secret },
      ]),
  );
}

/** Reads the settings of an open stack. @throws UserError for a bad setting or a missing secret */
export async function configOf(stack: Stack): Promise<StackConfig> {
  const { settings, secrets } = readProjectConfig(await readValues(stack));
  return parseStackConfig(settings, secrets);
}

/** Reads the settings of a stack. @throws UserError like configOf, or if the stack does not exist */
export async function localConfig(name: string): Promise<StackConfig> {
  await requireStack(name);
  return configOf(await openStack(name));
}
