import * as pulumi from "@pulumi/pulumi";
import { UserError, withNext } from "../contract/errors.ts";
import { parseStackConfig } from "../pipeline/stack/config.ts";
import { PROJECT, stackNames } from "../pipeline/stack/names.ts";
import type { PlanContext } from "../pipeline/stack/plan/context.ts";
import { planStack, type StackPlan } from "../pipeline/stack/plan/stack.ts";
import { isSecretName, type SecretName } from "../pipeline/stack/secrets.ts";
import type { GivenSecrets, StackSecrets } from "./secrets.ts";
import type { Passwords } from "./service.ts";

export interface ProgramInputs extends Omit<PlanContext, "secrets"> {
  /** Secrets that the user has set. */
  readonly given: GivenSecrets;
}

/** Reads everything the program depends on: stack name, configuration, environment. */
export function readInputs(): ProgramInputs {
  const values = projectConfig();
  const blocks = [...values].filter(([key]) => !isSecretName(key));
  return {
    names: stackNames(pulumi.getStack()),
    config: parseStackConfig(Object.fromEntries(blocks.map(([key, text]) => [key, block(text)]))),
    given: new Map(
      [...values].flatMap(([key, text]) =>
        isSecretName(key) && text !== "" ? [[key, pulumi.secret(text)] as const] : [],
      ),
    ),
    environment: process.env,
  };
}

/**
 * The plan with the values of some secrets; those of the others stay unknown. Only what is asked for
 * changes with a secret, so that a preview shows no more than that.
 */
export const planWith =
  (context: PlanContext, secrets: StackSecrets) =>
  (names: readonly SecretName[]): pulumi.Output<StackPlan> =>
    secrets
      .some(names)
      .apply((values) => planStack({ ...context, secrets: { ...context.secrets, ...values } }));

export function passwordsOf({ values }: StackSecrets, marts: SecretName): Passwords {
  const password = (name: SecretName) => values.get(name) ?? pulumi.secret("");
  return {
    broker: values.get("brokerPassword") ?? null,
    database: password("databasePassword"),
    admin: password("adminPassword"),
    marts: password(marts),
  };
}

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
