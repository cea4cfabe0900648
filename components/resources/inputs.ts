import { existsSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { UserError, withHint } from "../../contract/errors.ts";
import { readOverrides } from "../generator/overrides.ts";
import { type ConfigValue, parseProjectConfig } from "../project-config.ts";
import { setSecretCommand } from "../secrets.ts";
import type { PlanContext } from "../shared/context.ts";
import { BI_KEY, type EncryptionKey, SCHEDULER_KEY } from "../shared/encryption-keys.ts";
import { PROJECT, stackNames } from "../shared/names.ts";
import { stackFolder } from "../shared/state.ts";
import type { ConfiguredSecrets } from "./secret.ts";

export interface ProgramInputs extends Omit<PlanContext, "configured"> {
  readonly configured: ConfiguredSecrets;
}

/** @throws UserError for a wrong configuration, or secrets where an earlier version kept them */
export function readInputs(): ProgramInputs {
  const stack = pulumi.getStack();
  refusePreviousSecrets(stack);
  const values = projectValues();
  const { config, configured } = parseProjectConfig(values);
  return {
    names: stackNames(stack),
    config,
    configured: new Map(
      [...configured].map((name) => [name, pulumi.secret(values.get(name)?.text ?? "")]),
    ),
    overrides: readOverrides(process.env),
  };
}

/** The SDK has the function and leaves it out of its types. */
const isEncrypted = (key: string): boolean =>
  (pulumi.runtime as unknown as { isConfigSecret(key: string): boolean }).isConfigSecret(key);

/** Earlier versions kept a stack's secrets in a file. */
function refusePreviousSecrets(stack: string): void {
  const file = join(stackFolder(stack), "secrets.json");
  if (!existsSync(file)) return;
  const move = ({ current }: EncryptionKey) =>
    `node -p 'JSON.parse(fs.readFileSync("${file}")).${current}' | ${setSecretCommand(current)}`;
  throw new UserError(
    `The stack ${stack} still has the secrets of an earlier version, in ${file}. New keys would make its data unreadable`,
    [
      "move the two keys of its data, and set the file aside; the other secrets are generated:",
      ...[BI_KEY, SCHEDULER_KEY].map(move),
      `mv ${file} ${file}.old`,
    ].join("\n  "),
  );
}

/** Unknown keys can then be refused. */
function projectValues(): Map<string, ConfigValue> {
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(pulumi.runtime.allConfig())
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, text]) => [key.slice(prefix.length), { text, isEncrypted: isEncrypted(key) }]),
  );
}

/** Pulumi prints user errors without a stack trace. */
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
