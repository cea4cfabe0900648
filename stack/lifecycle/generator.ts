import { LIVE_STEP_SECONDS } from "../../components/live/steps.ts";
import { UserError } from "../../contract/errors.ts";
import { runPipeline } from "./client.ts";
import { up } from "./up.ts";
import { requireStack } from "./workspace.ts";

const GENERATOR = "**docker:index/container:Container::generator";

const ACTIONS = ["on", "off", "restart"] as const;

/**
 * Starts or stops the generator, also for later starts.
 * @returns the exit code, 1 if the generator cannot publish
 * @throws UserError for a missing stack
 */
export async function setGeneratorState(stack: string, action: string): Promise<number> {
  if (!ACTIONS.some((allowed) => allowed === action)) {
    throw new UserError(
      `Unknown generator action ${action}; allowed: ${ACTIONS.join(", ")}`,
      "run make generator-up, generator-down or generator-restart",
    );
  }
  await requireStack(stack);
  const isOn = action === "on";
  await up(stack, action === "restart" ? { replace: GENERATOR } : { generatorEnabled: isOn });
  // A generator that waits after a pause or a load does not start by itself.
  return isOn ? runPipeline(stack, ["generator", "resume", "--wait", `${LIVE_STEP_SECONDS}`]) : 0;
}
