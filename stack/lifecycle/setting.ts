import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { PROJECT } from "../../components/shared/names.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";

/** Writes a setting. @param key path, e.g. `network.portOffset` */
export const setSetting = (
  stack: Stack,
  key: string,
  value: string | number | boolean,
): Promise<void> =>
  withPulumiErrors(() => stack.setConfig(`${PROJECT}:${key}`, { value: String(value) }, true));
