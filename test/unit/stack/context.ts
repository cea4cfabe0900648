import { parseStackConfig } from "../../../components/config.ts";
import type { SecretName } from "../../../components/secrets.ts";
import type { PlanContext } from "../../../components/services.ts";
import { stackNames } from "../../../components/shared/names.ts";
import { renderText, type Text } from "../../../components/shared/secret-text.ts";
import type { ConfigFile } from "../../../components/shared/spec.ts";
import { testSecrets } from "./record.ts";

/** Arguments of a planner, with defaults for all but the given ones. */
export const planContext = (
  config: Readonly<Record<string, unknown>> = {},
  overrides: PlanContext["overrides"] = {},
  stack = "dev",
  configured: readonly SecretName[] = [],
): PlanContext => ({
  names: stackNames(stack),
  config: parseStackConfig(config),
  configured: new Set(configured),
  overrides,
});

/** A text as the component renders it, with the tests' secrets. */
export const textOf = (text: Text | undefined, secrets: object = {}): string =>
  renderText(text ?? "", { ...testSecrets, ...secrets });

export const isSecret = ({ content }: ConfigFile): boolean => typeof content !== "string";
