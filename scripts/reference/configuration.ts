import { z } from "zod";
import { CONFIG_BLOCKS, generalSettings } from "../../components/config.ts";
import { images } from "../../components/registry.ts";
import { secrets } from "../../components/secrets.ts";
import { variables } from "../../generator/variables.ts";
import { code, tableText } from "./table.ts";

/** Value that no field accepts, so that every field reports the allowed values. */
const REFUSED = Symbol("no setting");

/** Blocks within a block, which have separate rows or a description. */
const NESTED = new Set(["broker.security", "generator.settings"]);

function settingRows(schema: z.ZodObject, block?: string): string[][] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const name = block ? `${block}.${key}` : key;
    if (NESTED.has(name) || field instanceof z.ZodLiteral) return [];
    const message = field.safeParse(REFUSED).error?.issues[0]?.message ?? "";
    const allowed = message.replace(/^must be /, "");
    return [[code(name), meaningOf(field, name), allowed, code(field.safeParse(undefined).data)]];
  });
}

/** Returns the row of a block's mode; the first form is the default. */
function modeRows(block: string, forms: readonly z.ZodObject[]): string[][] {
  const modes = forms.flatMap(({ shape: { mode } }) =>
    mode instanceof z.ZodLiteral ? [mode] : [],
  );
  const [first] = modes;
  if (!first) return [];
  const name = `${block}.mode`;
  const allowed = modes.map(({ value }) => value).join(" or ");
  return [[code(name), meaningOf(first, name), allowed, code(first.value)]];
}

function meaningOf(field: z.ZodType, name: string): string {
  if (!field.description) throw new Error(`The setting ${name} has no description`);
  return field.description;
}

const blockRows = ([block, forms]: [string, readonly z.ZodObject[]]): string[][] => [
  ...modeRows(block, forms),
  ...forms.flatMap((form) => settingRows(form, block)),
];

export const configurationPage = (): string =>
  [
    "# Configuration",
    "The settings of a stack are in `Pulumi.<stack>.yaml`, in `event-pipeline:<block>`. [Operations](../operations.md#configuration-of-the-stack) describes the blocks with several modes.",
    tableText({
      head: ["setting", "meaning", "allowed", "default"],
      rows: [
        ...settingRows(generalSettings),
        ...Object.entries(CONFIG_BLOCKS)
          // A separate page lists the variables.
          .filter(([block]) => block !== "generator.settings")
          .flatMap(blockRows),
      ],
    }),
    "## Secrets",
    "`pulumi config set --secret event-pipeline:<name>` sets a secret. The stack generates the others, except previous keys, `alertWebhook`, and passwords of an external broker or database.",
    tableText({
      head: ["name", "meaning"],
      rows: Object.entries(secrets).map(([name, purpose]) => [code(name), purpose]),
    }),
    "## Images",
    "`images.<name>` replaces an official image.",
    tableText({
      head: ["name", "official image"],
      rows: Object.entries(images).map(([name, image]) => [code(name), code(image)]),
    }),
  ].join("\n\n");

export const variablesPage = (): string =>
  [
    "# Variables of the generator",
    "Set the variables in the environment, or in `generator.settings` of a stack. A shell variable takes precedence for one run.",
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
