import { UserError } from "../../contract/errors.ts";
import { up } from "./up.ts";
import { requireStack } from "./workspace.ts";

const GENERATOR = "**docker:index/container:Container::generator-service";

const ACTIONS = ["on", "off", "restart"] as const;

/**
 * Lets the generator publish or stand by, now and after every start; or restarts it.
 * @throws UserError for another action, or a stack that does not exist: it would be started whole
 */
export async function setGeneratorState(stack: string, action: string): Promise<void> {
  if (!ACTIONS.some((allowed) => allowed === action)) {
    throw new UserError(
      `generator ${action}: allowed are ${ACTIONS.join(", ")}.`,
      "make generator-up, generator-down or generator-restart",
    );
  }
  await requireStack(stack);
  const isOn = action === "on";
  await up(stack, action === "restart" ? { replace: GENERATOR } : { generatorEnabled: isOn });
}
