import * as pulumi from "@pulumi/pulumi";
import { UserError, withHint } from "../../contract/errors.ts";
import { readOverrides } from "../generator/overrides.ts";
import { type ConfigValue, parseProjectConfig } from "../project-config.ts";
import { type PlanContext, planStack, publishedPorts, type StackPlan } from "../services.ts";
import { refuseRemoteLoopback } from "../shared/check-reachability.ts";
import { PROJECT, stackNames } from "../shared/names.ts";
import { dockerEngine } from "./engine-host.ts";
import type { ConfiguredSecrets } from "./secret.ts";

export interface ProgramInputs extends Omit<PlanContext, "configured"> {
  readonly plan: StackPlan;
  readonly configured: ConfiguredSecrets;
}

/** Reads the program's inputs. @throws UserError for bad settings */
export function readInputs(): ProgramInputs {
  const stack = pulumi.getStack();
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
