import { z } from "zod";
import { officialImages, stackSchema } from "../../components/config.ts";
import { formsOf, type Role, roles } from "../../components/config-fields.ts";
import { SECRETS } from "../../components/secrets.ts";
import { endOfLife } from "../../components/shared/end-of-life.ts";
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
    if (literalOf(field) || name === "generator.settings" || kind === "image") return [];
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
    mode instanceof z.ZodType && literalOf(mode) ? [mode] : [],
  );
  const [first] = modes;
  if (!first) return [];
  const name = `${block}.mode`;
  const allowed = modes.map((mode) => literalOf(mode)?.value).join(" or ");
  return [{ name, meaning: meaningOf(first, name), allowed, fallback: literalOf(first)?.value }];
}

/** Returns the literal of a discriminator, which the default form may omit. */
const literalOf = (field: unknown): z.ZodLiteral | undefined =>
  field instanceof z.ZodDefault || field instanceof z.ZodOptional
    ? literalOf(field.unwrap())
    : field instanceof z.ZodLiteral
      ? field
      : undefined;

function meaningOf(field: z.ZodType, name: string): string {
  if (!field.description) throw new Error(`The setting ${name} has no description`);
  return field.description;
}

/** Settings of all blocks; one that several forms of a block share is there once. */
export const settings = [
  ...new Map(settingsOf(stackSchema).map((one) => [one.name, one])).values(),
];

const BLOCK = "false or a block of settings";

const settingTable = (): string =>
  tableText({
    head: ["setting", "meaning", "allowed", "default"],
    rows: settings
      .filter(({ kind, allowed }) => kind === undefined && allowed !== BLOCK)
      .map(({ name, meaning, allowed, fallback }) => [
        code(name),
        meaning,
        typeof fallback === "boolean" ? "" : allowed.replace("an integer from ", ""),
        code(fallback),
      ]),
  });

/** Lists the services that can be off, by their default. */
function switchText(): string {
  const services = settings.filter(({ allowed }) => allowed === BLOCK);
  const [on, off] = [true, false].map((isOn) =>
    services
      .filter(({ meaning }) => meaning.endsWith("off") === isOn)
      .map(({ name }) => code(name))
      .join(", "),
  );
  return `\`false\` in place of a block switches off ${on}; without Prometheus there is no Grafana. A block, even \`{}\`, switches on ${off}.`;
}

const OF_LIMIT = /\.?(memoryMiB|cpus)$/i;

/** One row per container; Airflow has three. */
function limitTable(): string {
  const limits = settings.filter(({ kind }) => kind === "memory" || kind === "cpus");
  const containers = Map.groupBy(limits, ({ name }) => name.replace(OF_LIMIT, ""));
  return tableText({
    head: ["container", "MiB, at least", "MiB", "cores"],
    rows: [...containers].map(([name, [memory, cores]]) => {
      if (!memory || !cores) throw new Error("A container has a limit of memory, then of cores");
      const least = /from (\d+)/.exec(memory.allowed)?.[1] ?? "";
      return [code(name), least, `${memory.fallback}`, `${cores.fallback}`];
    }),
  });
}

const imageTable = (): string =>
  tableText({
    head: ["official image", "end of life", "settings"],
    rows: [...Map.groupBy(officialImages, ([, image]) => image)].map(([image, uses]) => [
      code(image),
      endOfLife(image) ?? "",
      uses.map(([setting]) => code(setting)).join(", "),
    ]),
  });

export const configurationPage = (): string =>
  [
    "# Configuration",
    "These settings are in [the stack's file](../operations.md#configuration-of-the-stack), in `event-pipeline:<block>`. [Ports](ports.md) have a page.",
    switchText(),
    settingTable(),
    "## Memory and cores",
    "Limits of each container, such as `kafka.memoryMiB`, `kafka.cpus` and `airflow.apiServerMemoryMiB`. Cores go from 0.1 to 9.9 with one decimal.",
    limitTable(),
    "## Secrets",
    "The stack generates these secrets, except `alertWebhook` and passwords of an external Kafka or ClickHouse. [Set](../how-to/rotate-secrets.md#secrets-of-your-own) others yourself.",
    tableText({
      head: ["name", "meaning"],
      rows: Object.entries(SECRETS).map(([name, purpose]) => [code(name), purpose]),
    }),
    "## Images",
    "Each setting replaces an official image. `make doctor` warns of an image whose vendor supports it no longer; some vendors name no date.",
    imageTable(),
  ].join("\n\n");

export const variablesPage = (): string =>
  [
    "# Variables of the generator",
    "Set them in the environment, or in `generator.settings` of a stack. A shell variable takes precedence for one run.",
    "A variable with * can change on a stack with data: live events follow the new value. Other variables of the model need a new history.",
    tableText({
      head: ["variable", "meaning", "allowed", "default"],
      rows: Object.entries(variables).map(([name, { fallback, allowed, meaning }]) => [
        `${code(name)}${isChangeable(name) ? " *" : ""}`,
        meaning,
        allowed === "true or false"
          ? ""
          : allowed.replace(/^a number from |^a whole number from (.*)$/, (_, whole) =>
              whole ? `${whole}, whole` : "",
            ),
        code(fallback),
      ]),
    }),
  ].join("\n\n");
