import { BAD_PORTS } from "../../contract/bad-ports.ts";
import { UserError } from "../../contract/errors.ts";
import { readSecret } from "../../contract/secret.ts";
import { readInstanceName } from "../operations/instance-name.ts";

export interface ServiceSettings {
  /** Generator instance: key of the state, and fence against a second generator. */
  readonly instance: string;
  readonly host: string;
  readonly port: number;
  /** Bearer token of the control endpoint; null disables it. */
  readonly token: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 9109;

/** Reads the settings. @throws UserError naming the variable, the bad value and what is allowed */
export function readSettings(env: Environment): ServiceSettings {
  return {
    instance: readInstanceName(env),
    host: env.GENERATOR_HTTP_HOST || "0.0.0.0",
    port: readPort(env.GENERATOR_HTTP_PORT || String(DEFAULT_PORT)),
    token: readToken(env),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535 && !BAD_PORTS.has(port)) return port;
  throw new UserError(
    `GENERATOR_HTTP_PORT=${text} is not valid. Allowed: 0 (any) to 65535, except ports to which fetch does not connect`,
    `use the default: GENERATOR_HTTP_PORT=${DEFAULT_PORT}`,
  );
}

function readToken(env: Environment): string | null {
  const token = readSecret(env, "CONTROL_TOKEN");
  if (!token) return null;
  if (token.length >= 16) return token;
  throw new UserError(
    "CONTROL_TOKEN is too short. Allowed: at least 16 characters",
    "create one with make init or openssl rand -hex 16",
  );
}
