import { existsSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { UserError, withHint } from "../../contract/errors.ts";
import { readOverrides } from "../generator/overrides.ts";
import { type ConfigValue, parseProjectConfig } from "../project-config.ts";
import { setSecretCommand } from "../secrets.ts";
import { type PlanContext, planStack, publishedPorts, type StackPlan } from "../services.ts";
import { refuseRemoteLoopback } from "../shared/check-reachability.ts";
import { BI_KEY, type EncryptionKey, SCHEDULER_KEY } from "../shared/encryption-keys.ts";
import { PROJECT, stackNames } from "../shared/names.ts";
import { stackFolder } from "../shared/state.ts";
import { dockerEngine } from "./engine-host.ts";
import type { ConfiguredSecrets } from "./secret.ts";

export interface ProgramInputs extends Omit<PlanContext, "configured"> {
  readonly plan: StackPlan;
  readonly configured: ConfiguredSecrets;
}

/** Reads the program's inputs. @throws UserError for bad settings or secrets of a previous version */
export function readInputs(): ProgramInputs {
  const stack = pulumi.getStack();
  refusePreviousSecrets(stack);
  const values = projectValues();
  const { config, configured } = parseProjectConfig(values);
  const overrides = readOverrides(process.env);
  const names = stackNames(stack);
  const plan = planStack({ names, config, configured, overrides });
  if (publishedPorts(plan).length > 0) refuseRemoteLoopback(dockerEngine(), config);
  return {
    names,
    plan,
    config,
    overrides,
    configured: new Map(
      [...configured].map((name) => [name, pulumi.secret(values.get(name)?.text ?? "")]),
    ),
  };
}

/** Calls a function of the SDK that the SDK's types omit. */
const isEncrypted = (key: string): boolean =>
  (pulumi.runtime as unknown as { isConfigSecret(key: string): boolean }).isConfigSecret(key);

/** Refuses a stack whose secrets are in a file, as in previous versions. */
function refusePreviousSecrets(stack: string): void {
  const file = join(stackFolder(stack), "secrets.json");
  if (!existsSync(file)) return;
  const move = ({ current }: EncryptionKey) =>
    `node -p 'JSON.parse(fs.readFileSync("${file}")).${current}' | ${setSecretCommand(current)}`;
  throw new UserError(
    `The stack ${stack} still has the secrets of a previous version, in ${file}. New keys would make its data unreadable`,
    [
      "run these commands to move the two keys of its data; the other secrets are generated:",
      ...[BI_KEY, SCHEDULER_KEY].map(move),
      `mv ${file} ${file}.old`,
    ].join("\n  "),
  );
}

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
    throw asRunError(error);
  }
}

/** Converts a UserError to a RunError, which Pulumi prints without a stack trace. */
const asRunError = (error: unknown): unknown =>
  error instanceof UserError ? new pulumi.RunError(withHint(error)) : error;
