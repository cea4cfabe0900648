import * as pulumi from "@pulumi/pulumi";
import { EventPipeline } from "./components/event-pipeline.ts";
import { readInputs, withUserErrors } from "./components/inputs.ts";

/** Declares the stack with its configuration. */
function deploy() {
  const inputs = readInputs();
  const { pages, client, secrets } = new EventPipeline(pulumi.getStack(), inputs);
  return { pages, client, secrets, overrides: inputs.overrides };
}

/** Outputs of the stack. `overrides` are variables that override the configuration in this run. */
export const { pages, client, secrets, overrides } = withUserErrors(deploy);
