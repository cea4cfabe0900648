import * as pulumi from "@pulumi/pulumi";
import { EventPipeline } from "./components/event-pipeline.ts";
import { readInputs } from "./components/inputs.ts";

const inputs = readInputs();

/** Outputs of the stack. `overrides` are variables that override the configuration in this run. */
export const { pages, client, secrets } = new EventPipeline(pulumi.getStack(), inputs);
export const { overrides } = inputs;
