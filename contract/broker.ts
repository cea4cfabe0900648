import { z } from "zod";
import { UserError } from "./errors.ts";
import { readSecret } from "./secret.ts";

export const SASL_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

export interface BrokerConnection {
  /** Addresses `host:port`, at least one. */
  readonly bootstrap: readonly string[];
  /** Encryption; null for none. `ca`: certificates (PEM) to trust instead of the system's. */
  readonly tls: { readonly ca?: string } | null;
  readonly sasl: {
    readonly mechanism: (typeof SASL_MECHANISMS)[number];
    readonly username: string;
    readonly password: string;
  } | null;
}

const address = z.string().regex(/^[^\s:,]+:\d{1,5}$/);

const VARIABLES = {
  KAFKA_BOOTSTRAP_SERVERS: {
    schema: z
      .string()
      .transform((text) => text.split(",").map((part) => part.trim()))
      .pipe(z.array(address).min(1)),
    allowed: "host:port, several separated by commas",
  },
  KAFKA_TLS: { schema: z.stringbool().default(false), allowed: "true or false" },
  KAFKA_SASL_MECHANISM: {
    schema: z.enum(SASL_MECHANISMS).optional(),
    allowed: SASL_MECHANISMS.join(", "),
  },
  KAFKA_SASL_USERNAME: { schema: z.string().min(1).optional(), allowed: "a user name" },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `KAFKA_*`; `…_FILE` names a file with the password or CA. @throws UserError for a bad value */
export function readBrokerConnection(environment: Environment): BrokerConnection {
  const bootstrap = read(environment, "KAFKA_BOOTSTRAP_SERVERS");
  const mechanism = read(environment, "KAFKA_SASL_MECHANISM");
  return {
    bootstrap,
    tls: readTls(environment),
    sasl: mechanism === undefined ? null : { mechanism, ...readCredentials(environment) },
  };
}

function readTls(environment: Environment): BrokerConnection["tls"] {
  if (!read(environment, "KAFKA_TLS")) return null;
  const ca = readSecret(environment, "KAFKA_TLS_CA");
  return ca === undefined ? {} : { ca };
}

function readCredentials(environment: Environment): { username: string; password: string } {
  const username = read(environment, "KAFKA_SASL_USERNAME");
  const password = readSecret(environment, "KAFKA_SASL_PASSWORD");
  if (username === undefined || password === undefined) {
    throw new UserError(
      `KAFKA_SASL_MECHANISM is set, but ${username === undefined ? "KAFKA_SASL_USERNAME" : "KAFKA_SASL_PASSWORD or KAFKA_SASL_PASSWORD_FILE"} is not`,
      "set the missing variable, or unset KAFKA_SASL_MECHANISM for a broker without authentication",
    );
  }
  return { username, password: password.trim() };
}

function read<K extends keyof typeof VARIABLES>(
  environment: Environment,
  name: K,
): z.infer<(typeof VARIABLES)[K]["schema"]> {
  const { schema, allowed } = VARIABLES[name];
  const value = environment[name] === "" ? undefined : environment[name];
  const result = schema.safeParse(value);
  if (result.success) return result.data as z.infer<(typeof VARIABLES)[K]["schema"]>;
  throw new UserError(
    value === undefined
      ? `${name} is not set. Allowed: ${allowed}`
      : `${name}=${value} is not valid. Allowed: ${allowed}`,
    `set ${name} (outside the stack: KAFKA_BOOTSTRAP_SERVERS=localhost:9092)`,
  );
}
