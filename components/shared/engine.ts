import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { LABELS } from "./names.ts";

const USUAL_HOST = "unix:///var/run/docker.sock";

export interface DockerEndpoint {
  /** Arguments of the Docker provider, which does not read Docker's contexts. */
  readonly connection: { readonly host: string; readonly certPath?: string };
  /** What sets the address, for messages. */
  readonly source: string;
}

/**
 * Returns the endpoint of the `docker` command. With DOCKER_HOST the provider reads DOCKER_CERT_PATH.
 * @throws UserError if the context does not exist
 */
export function dockerEndpoint(): DockerEndpoint {
  const host = process.env.DOCKER_HOST;
  known ??= host ? { connection: { host }, source: "DOCKER_HOST" } : contextEndpoint();
  return known;
}

let known: DockerEndpoint | undefined;

let platform: string | undefined;

/** Returns the engine's platform, e.g. `linux/arm64`; undefined if it does not answer. */
export function enginePlatform(): string | undefined {
  platform ??= answerOf("version", "--format", "{{.Server.Os}}/{{.Server.Arch}}");
  return platform;
}

interface Label {
  readonly label: string;
  readonly value: string;
}

/** Returns the names of a stack's volumes with all labels; none if the engine does not answer. */
export function volumesOf(stack: string, ...more: readonly Label[]): string[] {
  const labels = [{ label: LABELS.stack, value: stack }, ...more];
  const filter = labels.flatMap(({ label, value }) => ["--filter", `label=${label}=${value}`]);
  const names = answerOf("volume", "ls", "--format", "{{.Name}}", ...filter) ?? "";
  return names.split("\n").filter((name) => name !== "");
}

/** Asks the engine; undefined if it does not answer, which only a preview survives. */
function answerOf(...args: readonly string[]): string | undefined {
  try {
    return askDocker(...args);
  } catch {
    return undefined;
  }
}

const contextSchema = z.looseObject({
  Name: z.string(),
  Endpoints: z.looseObject({ docker: z.looseObject({ Host: z.string() }) }),
  TLSMaterial: z.looseObject({ docker: z.array(z.string()).optional() }).nullish(),
  Storage: z.looseObject({ TLSPath: z.string() }),
});

const askDocker = (...args: readonly string[]): string =>
  execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();

/** Returns the current context; undefined without a `docker` command, which a preview does not need. */
function currentContext(): string | undefined {
  try {
    return askDocker("context", "inspect", "--format", "{{json .}}");
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === "ENOENT") return undefined;
    throw new UserError(
      `docker context inspect failed: ${stderr?.trim()}`,
      "set DOCKER_CONTEXT or DOCKER_HOST to an engine that docker context ls lists",
    );
  }
}

function contextEndpoint(): DockerEndpoint {
  const text = currentContext();
  if (text === undefined) return { connection: { host: USUAL_HOST }, source: "default" };
  const context = contextSchema.parse(JSON.parse(text));
  const source = `docker context ${context.Name}`;
  const host = context.Endpoints.docker.Host || USUAL_HOST;
  if (!context.TLSMaterial?.docker?.length) return { connection: { host }, source };
  return { connection: { host, certPath: join(context.Storage.TLSPath, "docker") }, source };
}
