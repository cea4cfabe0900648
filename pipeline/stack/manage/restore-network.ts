import { UserError } from "../../../contract/errors.ts";
import { ownership } from "../labels.ts";
import { stackNames } from "../names.ts";
import { networkTexts } from "../plan/network.ts";
import { SHELL } from "../shell.ts";
import { owned, removeContainers } from "./docker.ts";
import { execute } from "./process.ts";
import { isNetwork, type Recorded } from "./recorded.ts";

/**
 * Makes the network again that somebody removed: a refresh does not see that it is gone. First the
 * containers go, which would look for the former one; what is theirs alone is in data volumes.
 * @param recorded of the stack, as `recover` returns it
 */
export async function restoreNetwork(stack: string, recorded: readonly Recorded[]): Promise<void> {
  if (!recorded.some(isNetwork) || (await owned("network", stack)).length > 0) return;
  await removeContainers(await owned("container", stack));
  const { create } = networkTexts(stackNames(stack), ownership(stack));
  const [shell, ...options] = SHELL;
  // Its standard input may be a socket: bash then takes itself for a remote login and reads its settings.
  const args = ["--norc", ...options, create];
  const { code, stderr } = await execute(shell, args, { output: "capture" });
  if (code !== 0) throw new UserError(`The network is not there: ${stderr.trim()}`, "make doctor");
}
