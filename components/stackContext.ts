import { existsSync, readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { UserError, withNext } from "../contract/errors.ts";
import { parseStackConfig } from "../pipeline/stack/config.ts";
import { PROJECT, stackNames } from "../pipeline/stack/names.ts";
import { readOverrides } from "../pipeline/stack/overrides.ts";
import type { PlanContext } from "../pipeline/stack/plan/context.ts";
import { resolveSecrets, SECRET_NAMES, secretVariable } from "../pipeline/stack/secrets.ts";
import { secretsFile } from "../pipeline/stack/state.ts";
import type { Passwords } from "./service.ts";

/** Reads everything the plan depends on: stack name, configuration, secrets, environment. */
export function readContext(): PlanContext {
  const stack = pulumi.getStack();
  const names = stackNames(stack);
  const values = projectConfig();
  const secretValues = Object.fromEntries(SECRET_NAMES.map((name) => [name, values.get(name)]));
  const blocks = [...values].filter(([key]) => !SECRET_NAMES.some((name) => name === key));
  const stored = storedSecrets(stack);
  return {
    names,
    config: parseStackConfig(Object.fromEntries(blocks.map(([key, text]) => [key, block(text)]))),
    secrets: resolveSecrets(
      [
        (name) => secretValues[name],
        (name) => process.env[secretVariable(name)],
        (name) => stored[name],
      ],
      stack,
    ),
    overrides: readOverrides(process.env),
  };
}

export const passwordsOf = (secrets: PlanContext["secrets"]): Passwords => ({
  broker: secrets.brokerPassword ? pulumi.secret(secrets.brokerPassword) : null,
  database: pulumi.secret(secrets.databasePassword ?? ""),
  admin: pulumi.secret(secrets.adminPassword ?? ""),
});

/** Every key of this project's namespace, so that unknown ones can be refused. */
function projectConfig(): Map<string, string> {
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(pulumi.runtime.allConfig())
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

/** Structured values arrive as JSON; anything else stays the text it is, and the schema judges. */
function block(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function storedSecrets(stack: string): Record<string, string> {
  const file = secretsFile(stack);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Runs a program whose mistakes are told as Pulumi tells its own, without a stack trace. */
export function tellingMistakes<T>(program: () => T): T {
  try {
    return program();
  } catch (error) {
    throw asRunError(error);
  }
}

/** Pulumi prints a run error without a stack trace: a user's mistake needs none. */
const asRunError = (error: unknown): unknown =>
  error instanceof UserError ? new pulumi.RunError(withNext(error)) : error;
