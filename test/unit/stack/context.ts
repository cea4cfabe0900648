import { parseStackConfig } from "../../../components/config.ts";
import type { SecretName } from "../../../components/secrets.ts";
import type { PlanContext } from "../../../components/shared/context.ts";
import { stackNames } from "../../../components/shared/names.ts";
import { renderText, type Text } from "../../../components/shared/secret-text.ts";
import { testSecrets } from "./record.ts";

/** What a planner is given, with only the interesting part said. */
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

/** A text as the component makes it, with the secrets of the tests. */
export const textOf = (text: Text | undefined, secrets: object = {}): string =>
  renderText(text ?? "", { ...testSecrets, ...secrets });
