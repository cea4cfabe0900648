import type { Page } from "../../components/shared/page.ts";
import { UserError } from "../../contract/errors.ts";
import { askStack, openStack, requireStack } from "./workspace.ts";

type Texts = Readonly<Record<string, string>>;

/** Returns the outputs. @throws UserError if the stack does not exist or was never up */
export const readSecrets = (name: string): Promise<Texts> =>
  read(name, "secrets", "has no secrets yet");

/** Returns the variables with which commands reach the services. @throws UserError like readSecrets */
export const readClient = (name: string): Promise<Texts> => read(name, "client", "is not up");

/** Returns the pages of the services that people open. @throws UserError like readSecrets */
export const readPages = (name: string): Promise<Page[]> =>
  read(name, "pages", "has no addresses yet");

async function read<T>(name: string, output: string, missing: string): Promise<T> {
  await requireStack(name);
  const stack = await openStack(name);
  const outputs = JSON.parse(await askStack(stack, "stack", "output", "--json", "--show-secrets"));
  if (outputs[output]) return outputs[output];
  throw new UserError(`The stack ${name} ${missing}`, `run make up STACK=${name}`);
}
