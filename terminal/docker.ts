import { UserError } from "../contract/errors.ts";
import { execute } from "./process.ts";

/** Runs a docker command. @throws UserError if the engine does not answer or the command fails */
export async function runDocker(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await execute("docker", args, { output: "capture" });
  if (code === 0) return stdout.trim();
  if (/Cannot connect|is the docker daemon running|permission denied/i.test(stderr)) {
    throw new UserError(
      `The Docker engine does not answer: ${stderr.trim().split("\n")[0]}`,
      "start Docker, or give this user access to Docker, then run make doctor",
    );
  }
  throw new UserError(
    `docker ${args.join(" ")}: ${stderr.trim()}`,
    "run make doctor to check Docker",
  );
}

export const dockerRows = async (...args: readonly string[]): Promise<string[][]> =>
  (await runDocker(...args))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
