import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { openStack, requireStack } from "./workspace.ts";

const page = z.object({
  service: z.string(),
  title: z.string(),
  url: z.string(),
  user: z.string().default(""),
  /** True for a server that the stack does not run. */
  isExternal: z.boolean().optional(),
  /** Page to visit after the first start, and its content. */
  first: z.object({ url: z.string(), shows: z.string() }).optional(),
});

export type Page = z.infer<typeof page>;

const texts = z.record(z.string(), z.string());
type Texts = z.infer<typeof texts>;
const pagesSchema = z.array(page);

/** Returns the outputs. @throws UserError if the stack does not exist or was never up */
export const readSecrets = (name: string): Promise<Texts> =>
  read(name, "secrets", texts, "has no secrets yet");

/** Returns the variables with which commands reach the services. @throws UserError like readSecrets */
export const readClient = (name: string): Promise<Texts> =>
  read(name, "client", texts, "is not up");

/** Returns the pages of the services that people open. @throws UserError like readSecrets */
export const readPages = (name: string): Promise<Page[]> =>
  read(name, "pages", pagesSchema, "has no addresses yet");

async function read<T>(
  name: string,
  output: string,
  schema: z.ZodType<T>,
  missing: string,
): Promise<T> {
  await requireStack(name);
  const stack = await openStack(name);
  const outputs = await withPulumiErrors(() => stack.outputs());
  const { data } = schema.safeParse(outputs[output]?.value);
  if (data !== undefined) return data;
  throw new UserError(`The stack ${name} ${missing}`, `run make up STACK=${name}`);
}
