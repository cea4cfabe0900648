import { planStack } from "../../../components/services.ts";
import { UserError } from "../../../contract/errors.ts";
import { readChoices, writeChoices } from "./choices.ts";
import { wasUp } from "./guarded.ts";
import { localContext } from "./plan.ts";
import { up } from "./up.ts";

/**
 * Gives Superset a new secret key: the next generation, which re-encrypts what the one before has
 * encrypted. One at a time: a rotation that failed is carried on, as a third key would lock out what
 * is still encrypted with the first.
 * @throws UserError where the stack was never up, or has no Superset
 */
export async function rotateBiKey(stack: string): Promise<void> {
  if (!wasUp(stack)) {
    throw new UserError(`The stack ${stack} has no secrets yet.`, `make up STACK=${stack}`);
  }
  const context = localContext(stack);
  if (planStack(context).bi === null) {
    throw new UserError(
      `The stack ${stack} has no Superset (bi.enabled: false) that could use a new key.`,
      `bi.enabled: true in its configuration, make up STACK=${stack}, then the same command`,
    );
  }
  if (context.configured.has("biSecretKey")) throw keyOfTheUser();
  const { isRotating, ...choices } = readChoices(stack);
  const secretKeyGeneration = context.config.bi.secretKeyGeneration + (isRotating ? 0 : 1);
  writeChoices(stack, { ...choices, secretKeyGeneration, isRotating: true });
  await up(stack);
  const { isRotating: _, ...settled } = readChoices(stack);
  writeChoices(stack, settled);
}

const keyOfTheUser = (): UserError =>
  new UserError(
    "The configuration sets biSecretKey, so that a generated key would not be used.",
    "make set-secret NAME=biPreviousSecretKey with the current value, make set-secret NAME=biSecretKey with another, then make up",
  );
