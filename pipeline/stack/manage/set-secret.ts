import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { isSecretName, SECRET_NAMES } from "../secrets.ts";
import { init } from "./init.ts";
import { target } from "./preview-of.ts";
import { pulumi } from "./pulumi.ts";

/**
 * Sets a secret in the stack's configuration, encrypted. Pulumi reads the value from the terminal or
 * from standard input.
 * @throws UserError for a name that is no secret of the stack
 */
export async function setSecret(stack: string, name: string): Promise<void> {
  if (!isSecretName(name)) {
    throw new UserError(
      `There is no secret ${name}; allowed are ${SECRET_NAMES.join(", ")}.`,
      "make set-secret NAME=brokerPassword",
    );
  }
  await init(stack);
  const set = ["config", "set", "--secret", `${PROJECT}:${name}`, ...target(stack)];
  const { code } = await pulumi(stack, set, "show");
  if (code !== 0) throw new UserError(`The secret ${name} was not set.`, "the same command again");
}
