import { execFileSync } from "node:child_process";
import * as pulumi from "@pulumi/pulumi";
import { UserError } from "../../contract/errors.ts";
import { LABELS } from "../../contract/labels.ts";
import { IRREPLACEABLE } from "./names.ts";
import { programError } from "./program-error.ts";

/** Arguments of the Docker provider, whose `context` has no certificates and does not reach its builds. */
export interface DockerEndpoint {
  readonly host: string;
  readonly certPath?: string;
}

/** Go template. The provider reads the certificates of the context `default` from DOCKER_CERT_PATH. */
const ENDPOINT = `{{.Endpoints.docker.Host}}
{{if and .TLSMaterial.docker (ne .Name "default")}}{{.Storage.TLSPath}}/docker{{end}}`;

/** Returns the endpoint of the `docker` command. @throws UserError if the context does not exist */
export function dockerEndpoint(): DockerEndpoint {
  const [host = "", certPath] = askDocker("context", "inspect", "--format", ENDPOINT).split("\n");
  return certPath ? { host, certPath } : { host };
}

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
    throw programError(error as UserError);
  }
}

function askDocker(...args: readonly string[]): string {
  try {
    return execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    throw new UserError(
      `docker ${args.slice(0, 2).join(" ")} failed: ${stderr?.trim() || message}`,
      "start Docker, or set DOCKER_CONTEXT or DOCKER_HOST to an engine that docker context ls lists, then retry",
    );
  }
}
