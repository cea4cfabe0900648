import { execFileSync } from "node:child_process";

const USUAL_HOST = "unix:///var/run/docker.sock";

/** E.g. `unix:///var/run/docker.sock`; the provider does not read Docker's contexts. */
export function engineHost(): string {
  known ??= process.env.DOCKER_HOST || contextHost() || USUAL_HOST;
  return known;
}

let known: string | undefined;

/** A preview of new resources needs no `docker` command. */
function contextHost(): string {
  const question = ["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"];
  try {
    return execFileSync("docker", question, { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "";
  }
}
