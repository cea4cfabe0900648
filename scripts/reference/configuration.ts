import { z } from "zod";
import { officialImages, stackSchema } from "../../components/config.ts";
import { formsOf, type Role, roles } from "../../components/config-fields.ts";
import { SECRETS } from "../../components/secrets.ts";
import { isChangeable, variables } from "../../generator/variables.ts";
import { code, tableText } from "./table.ts";

/** Value that no field accepts, so that every field reports the allowed values. */
const REFUSED = Symbol("no setting");

interface Setting {
  readonly name: string;
  readonly meaning: string;
  readonly allowed: string;
  readonly fallback: unknown;
  readonly kind?: Role["kind"] | undefined;
}

/** Returns the settings of a form, and those of the blocks within. */
function settingsOf(schema: z.ZodObject, block?: string): Setting[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const name = block ? `${block}.${key}` : key;
    // Separate tables list the variables and the images.
    const kind = roles.get(field)?.kind;
    if (field instanceof z.ZodLiteral || name === "generator.settings" || kind === "image")
      return [];
    const forms = formsOf(field);
    if (forms.length > 0) {
      const inside = forms.flatMap((form) => settingsOf(form, name));
      return [...switchOf(name, field), ...modeOf(name, forms), ...inside];
    }
    const allowed = allowedBy(field);
    const fallback = field.safeParse(undefined).data;
    return [{ name, meaning: meaningOf(field, name), allowed, fallback, kind }];
  });
}

const allowedBy = (field: z.ZodType): string =>
  /^must be (.*), not undefined$/.exec(
    field.safeParse(REFUSED).error?.issues[0]?.message ?? "",
  )?.[1] ?? "";

/** Returns the row of a service that can be off. */
const switchOf = (name: string, field: z.ZodType): Setting[] =>
  field.safeParse(false).success
    ? [{ name, meaning: meaningOf(field, name), allowed: allowedBy(field), fallback: undefined }]
    : [];

/** Returns a block's mode; the first form is the default. */
function modeOf(block: string, forms: readonly z.ZodObject[]): Setting[] {
  const modes = forms.flatMap(({ shape: { mode } }) =>
    mode instanceof z.ZodLiteral ? [mode] : [],
  );
  const [first] = modes;
  if (!first) return [];
  const name = `${block}.mode`;
  const allowed = modes.map(({ value }) => value).join(" or ");
  return [{ name, meaning: meaningOf(first, name), allowed, fallback: first.value }];
}

function meaningOf(field: z.ZodType, name: string): string {
  if (!field.description) throw new Error(`The setting ${name} has no description`);
  return field.description;
}

/** Settings of all blocks; one that several forms of a block share is there once. */
export const settings = [
  ...new Map(settingsOf(stackSchema).map((one) => [one.name, one])).values(),
];

const settingTable = (): string =>
  tableText({
    head: ["setting", "meaning", "allowed", "default"],
    rows: settings
      .filter(({ kind }) => kind === undefined)
      .map(({ name, meaning, allowed, fallback }) => [
        code(name),
        meaning,
        allowed,
        code(fallback),
      ]),
  });

const limitTable = (): string =>
  tableText({
    head: ["setting", "default", "memory"],
    rows: settings
      .filter(({ kind }) => kind === "memory" || kind === "cpus")
      .map(({ name, allowed, fallback }) => [
        code(name),
        code(fallback),
        allowed.replace(/^cores .*/, "").replace(/an integer (.*) to 1048576/, "$1"),
      ]),
  });

export const configurationPage = (): string =>
  [
    "# Configuration",
    "The settings of a stack are in [its file](../operations.md#configuration-of-the-stack), in `event-pipeline:<block>`. [Ports](ports.md) have a page.",
    settingTable(),
    "## Memory and cores",
    "Limits of each container: memory in MiB, and cores from 0.1 to 9.9 with one decimal.",
    limitTable(),
    "## Secrets",
    "`pulumi config set --secret event-pipeline:<name>` sets a secret. The stack generates the others, except `alertWebhook` and passwords of an external Kafka or ClickHouse. [Encryption keys](../how-to/rotate-secrets.md#encryption-keys) are only generated.",
    tableText({
      head: ["name", "meaning"],
      rows: Object.entries(SECRETS).map(([name, purpose]) => [code(name), purpose]),
    }),
    "## Images",
    "These settings replace official images. The services with Node run TypeScript.",
    tableText({
      head: ["setting", "official image"],
      rows: [...officialImages].map(([setting, image]) => [code(setting), code(image)]),
    }),
  ].join("\n\n");

export const variablesPage = (): string =>
  [
    "# Variables of the generator",
    "Set the variables in the environment, or in `generator.settings` of a stack. A shell variable takes precedence for one run.",
    "A setting marked *from now on* can be changed while the generator runs: what it has written keeps the earlier value, live events follow the new one, and state and checks know both. Another one of the model needs a new history.",
    tableText({
      head: ["variable", "meaning", "allowed", "default", "a change applies"],
      rows: Object.entries(variables).map(([name, { fallback, allowed, meaning }]) => [
        code(name),
        meaning,
        allowed,
        code(fallback),
        isChangeable(name) ? "from now on" : "",
      ]),
    }),
  ].join("\n\n");
