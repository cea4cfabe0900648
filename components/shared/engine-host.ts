import { execFileSync } from "node:child_process";

const USUAL_HOST = "unix:///var/run/docker.sock";

/**
 * Address of the engine that the `docker` command talks to, e.g. `unix:///var/run/docker.sock`. The
 * provider does not read Docker's contexts, so it is given this address.
 */
export function engineHost(): string {
  known ??= process.env.DOCKER_HOST || contextHost() || USUAL_HOST;
  return known;
}

/** Asked once: it stays while a command runs. */
let known: string | undefined;

/** Empty where there is no `docker` command: a preview of new resources needs none. */
function contextHost(): string {
  const question = ["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"];
  try {
    return execFileSync("docker", question, { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "";
  }
}
