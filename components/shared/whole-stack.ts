import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { UserError } from "../../contract/errors.ts";
import { isEncryptionKey } from "../secrets.ts";
import { dockerEndpoint, volumesOf } from "./engine.ts";
import { IRREPLACEABLE, LABELS } from "./names.ts";
import { programError } from "./program-error.ts";

/** Types of the Docker provider that have labels. */
const LABELLED: ReadonlySet<string> = new Set([
  "docker:index/container:Container",
  "docker:index/network:Network",
  "docker:index/volume:Volume",
]);

/**
 * Gives every resource what the whole stack shares: the engine of the `docker` command, the label
 * by which commands find it, and protection of data.
 */
export function applyToWholeStack({ protectData }: { readonly protectData: boolean }): void {
  const { host, certPath } = dockerEndpoint().connection;
  const declared = new Set<string>();
  // Everything in the engine waits for the provider, so a refused change does not begin.
  const provider = new docker.Provider("docker", {
    host: refuseLostData(declared).then(() => host),
    ...(certPath ? { certPath } : {}),
  });
  const label = { label: LABELS.stack, value: pulumi.getStack() };
  pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) => {
    declared.add(type === "docker:index/volume:Volume" ? props.name : name);
    const isProtected = protectData && isIrreplaceable(name, props);
    return {
      props: LABELLED.has(type) ? { ...props, labels: [label, ...(props.labels ?? [])] } : props,
      opts: {
        ...opts,
        ...(type.startsWith("docker:") ? { provider } : {}),
        ...(isProtected ? { protect: true } : {}),
      },
    };
  });
}

interface Labelled {
  readonly labels?: readonly { readonly label: string }[];
}

const isIrreplaceable = (name: string, { labels = [] }: Labelled): boolean =>
  labels.some(({ label }) => label === IRREPLACEABLE.label) || isEncryptionKey(name);

/**
 * Refuses a program that would delete data, or take over the data of a stack in another backend.
 * @param declared names of the program's volumes and other resources, complete once the state is read
 * @throws RunError
 */
export async function refuseLostData(declared: ReadonlySet<string>): Promise<void> {
  const recorded = await recordedUrns();
  // A killed first start has recorded the provider before any volume.
  if (!recorded.some((urn) => urn.endsWith(PROVIDER))) refuseUnrecorded();
  const keys = recorded.map((urn) => urn.split("::").at(-1) ?? "").filter(isEncryptionKey);
  // A refresh removes the labels of volumes from the state.
  const volumes = volumesOf(pulumi.getStack(), IRREPLACEABLE);
  const lost = [...keys, ...volumes].filter((name) => !declared.has(name));
  if (lost.length === 0) return;
  throw refusal(
    `This change would delete ${lost.join(", ")}, without which stored data are lost`,
    "undo the change, or use another stack for it; pulumi destroy, or make clean, gives up all data of this one",
  );
}

const refusal = (message: string, hint: string): pulumi.RunError =>
  programError(new UserError(message, hint));

const PROVIDER = "pulumi:providers:docker::docker";

/** Refuses a new stack whose volumes exist. An engine that does not answer only allows a preview. */
function refuseUnrecorded(): void {
  const stack = pulumi.getStack();
  const [volume] = volumesOf(stack);
  if (volume === undefined) return;
  throw refusal(
    `This machine has the volume ${volume} of a stack ${stack} that Pulumi's backend here does not record`,
    `set PULUMI_BACKEND_URL to the backend that records it, or use another name for this stack; make clean STACK=${stack} FOREIGN=1 deletes the other one with its data`,
  );
}

/** Reads from Pulumi's state what the last run declared. */
async function recordedUrns(): Promise<string[]> {
  const stackName = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const { outputs } = await pulumi.runtime.invoke(
    "pulumi:pulumi:readStackResourceOutputs",
    { stackName },
    {},
  );
  return Object.keys(outputs);
}
