import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { LABELS } from "../../contract/labels.ts";
import { IRREPLACEABLE } from "./names.ts";
import { programError } from "./program-error.ts";

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

/** Returns the engine's platform, e.g. `linux/arm64`. @throws RunError like answerOf */
export function enginePlatform(): string | undefined {
  platform ??= answerOf("version", "--format", "{{.Server.Os}}/{{.Server.Arch}}");
  return platform;
}

/** Volume or container with the name of a stack, whoever created it. */
export interface HeldObject {
  readonly kind: "volume" | "container";
  readonly name: string;
  readonly identity: string;
  readonly isIrreplaceable: boolean;
}

const LISTINGS = { volume: ["volume", "ls"], container: ["ps", "--all"] } as const;
const NAMES = { volume: "{{.Name}}", container: "{{.Names}}" } as const;

/** Lists volumes, then containers. @throws RunError like answerOf */
export const heldObjects = (stack: string): HeldObject[] =>
  (["volume", "container"] as const).flatMap((kind) => {
    const labels = [LABELS.identity, IRREPLACEABLE.label].map((label) => `{{.Label "${label}"}}`);
    const format = ["--format", [NAMES[kind], ...labels].join("\t")];
    const filter = ["--filter", `label=${LABELS.stack}=${stack}`];
    const text = answerOf(...LISTINGS[kind], ...filter, ...format) ?? "";
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.map((line): HeldObject => {
      const [name = "", identity = "", data] = line.split("\t");
      return { kind, name, identity, isIrreplaceable: data === IRREPLACEABLE.value };
    });
  });

/**
 * Asks the engine. @returns undefined if it does not answer a preview, which changes nothing
 * @throws RunError if it does not answer an update
 */
function answerOf(...args: readonly string[]): string | undefined {
  try {
    return askDocker(...args);
  } catch (error) {
    if (pulumi.runtime.isDryRun()) return undefined;
    const { stderr, message } = error as Error & { readonly stderr?: string };
    throw programError(
      new UserError(
        `docker ${args.slice(0, 2).join(" ")} failed: ${stderr?.trim() || message}`,
        "start Docker, or correct the docker command, then retry",
      ),
    );
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
