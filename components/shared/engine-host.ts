import { execFileSync } from "node:child_process";

const USUAL_HOST = "unix:///var/run/docker.sock";

/**
 * Address of the `docker` command's engine, e.g. `unix:///var/run/docker.sock`; the provider does
 * not read Docker's contexts.
 */
export function engineHost(): string {
  known ??= process.env.DOCKER_HOST || contextHost() || USUAL_HOST;
  return known;
}

/** Cached, because it does not change during a command. */
let known: string | undefined;

/** Empty without a `docker` command: a preview of new resources needs none. */
function contextHost(): string {
  const question = ["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"];
  try {
    return execFileSync("docker", question, { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "";
  }
}
