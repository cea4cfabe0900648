import * as pulumi from "@pulumi/pulumi";
import { UserError } from "../contract/errors.ts";
import { publishedPorts, type StackConfig } from "./config.ts";
import { type Overrides, readOverrides } from "./generator/overrides.ts";
import { type ConfigValue, parseProjectConfig } from "./project-config.ts";
import type { SecretName } from "./secrets.ts";
import { dockerEndpoint } from "./shared/engine.ts";
import { PROJECT } from "./shared/names.ts";
import { programError } from "./shared/program-error.ts";
import { refuseRemoteLoopback } from "./shared/reachability.ts";

export interface ProgramInputs extends StackConfig {
  /** Secrets that the configuration sets. */
  readonly secrets: Readonly<Partial<Record<SecretName, pulumi.Output<string>>>>;
  /** Variables of the shell that override the generator's settings for this run. */
  readonly overrides: Overrides;
}

/** Reads the program's inputs. @throws UserError for bad settings */
export function readInputs(): ProgramInputs {
  const values = projectValues();
  const { config, configured } = parseProjectConfig(values);
  if (publishedPorts(config).length > 0) refuseRemoteLoopback(dockerEndpoint(), config.network);
  return {
    ...config,
    overrides: readOverrides(process.env),
    secrets: Object.fromEntries(
      [...configured].map((name) => [name, pulumi.secret(values.get(name)?.text ?? "")]),
    ),
  };
}

/** Calls a function of the SDK that the SDK's types omit. */
const isEncrypted = (key: string): boolean =>
  (pulumi.runtime as unknown as { isConfigSecret(key: string): boolean }).isConfigSecret(key);

/** Returns all values of the project, so that unknown keys are refused. */
function projectValues(): Map<string, ConfigValue> {
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(pulumi.runtime.allConfig())
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, text]) => [key.slice(prefix.length), { text, isEncrypted: isEncrypted(key) }]),
  );
}

/** Runs the program; Pulumi prints its user errors without a stack trace. */
export function withUserErrors<T>(program: () => T): T {
  try {
    return program();
  } catch (error) {
    throw error instanceof UserError ? programError(error) : error;
  }
}
