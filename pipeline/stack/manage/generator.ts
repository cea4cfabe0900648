import { UserError } from "../../../contract/errors.ts";
import { owned } from "./docker.ts";
import { wasUp } from "./guarded.ts";
import { up } from "./up.ts";

const GENERATOR = "**docker:index/container:Container::generator-service";

/**
 * Lets the generator publish, or stand by, now and after every start; or makes it anew.
 * @throws UserError for another wish, and of a stack that was never up: it would be started whole
 */
export async function steerGenerator(stack: string, wish: string): Promise<void> {
  if (!["on", "off", "restart"].includes(wish)) {
    throw new UserError(
      `generator ${wish}: allowed are on, off and restart.`,
      "make generator-up, generator-down or generator-restart",
    );
  }
  // A start that failed half-way may have left one that publishes.
  if (!wasUp(stack) && (await owned("container", stack)).length === 0) {
    throw new UserError(
      `There is no generator to steer: the stack ${stack} was never up.`,
      `make up STACK=${stack} first; make doctor lists what is there under other names`,
    );
  }
  await up(
    stack,
    wish === "restart" ? { replace: GENERATOR } : { generatorEnabled: wish === "on" },
  );
}
