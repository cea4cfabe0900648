import type { z } from "zod";
import { CONFIG_BLOCKS } from "../../components/config.ts";
import { images } from "../../components/services.ts";
import { variables } from "../../generator/variables.ts";
import { code, tableText } from "./table.ts";

/** Nothing is like it, so that every field says what it takes. */
const REFUSED = Symbol("no setting");

/** Blocks within a block have rows of their own, or are described in words. */
const NESTED = new Set(["broker.security", "generator.settings"]);

function settingRows(block: string, schema: z.ZodObject): string[][] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const name = `${block}.${key}`;
    if (NESTED.has(name) || key === "mode") return [];
    const message = field.safeParse(REFUSED).error?.issues[0]?.message ?? "";
    return [[code(name), message.replace(/^must be /, ""), code(field.safeParse(undefined).data)]];
  });
}

/** Settings of `Pulumi.<stack>.yaml`. */
export const configurationPage = (): string =>
  [
    "# Configuration",
    "Settings of a stack, in `Pulumi.<stack>.yaml` below `event-pipeline:<block>`. [Operations](../operations.md#configuration-of-the-stack) explains the file. [Your own Kafka or ClickHouse](../how-to/use-your-own-kafka-or-clickhouse.md) explains `mode: external`.",
    tableText({
      head: ["setting", "allowed", "default"],
      rows: Object.entries(CONFIG_BLOCKS)
        // The variables have a page of their own.
        .filter(([block]) => block !== "generator.settings")
        .flatMap(([block, schemas]) => schemas.flatMap((schema) => settingRows(block, schema))),
    }),
    "## Images",
    "`images.<name>` replaces an official image.",
    tableText({
      head: ["name", "official image"],
      rows: Object.entries(images).map(([name, image]) => [code(name), code(image)]),
    }),
  ].join("\n\n");

/** Variables that the generator reads. */
export const variablesPage = (): string =>
  [
    "# Variables of the generator",
    "Set in the environment, or in `generator.settings` of a stack. A variable of the shell wins for one run.",
    tableText({
      head: ["variable", "meaning", "allowed", "default"],
      rows: Object.entries(variables).map(([name, { fallback, allowed, meaning }]) => [
        code(name),
        meaning,
        allowed,
        code(fallback),
      ]),
    }),
  ].join("\n\n");
