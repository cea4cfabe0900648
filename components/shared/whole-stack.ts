import { setTimeout as sleep } from "node:timers/promises";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { UserError } from "../../contract/errors.ts";
import { LABELS } from "../../contract/labels.ts";
import { isEncryptionKey } from "../secrets.ts";
import { removeImagesAtEnd } from "./commands.ts";
import { dockerEndpoint, type HeldObject, heldObjects } from "./engine.ts";
import { IDENTITY, type RecordedResource, recordedIdentity } from "./identity.ts";
import { IRREPLACEABLE, PROTECTED } from "./names.ts";
import { programError, withProgramErrors } from "./program-error.ts";

const VOLUME = "docker:index/volume:Volume";
const IMAGE = "docker:index/image:Image";
/** Types of the Docker provider that have labels. */
const LABELLED: ReadonlySet<string> = new Set([
  "docker:index/container:Container",
  "docker:index/network:Network",
  VOLUME,
]);

interface WholeStackArgs {
  readonly protectData: boolean;
}

/**
 * Returns options with what the whole stack shares: an engine, the labels that say whose it is, and
 * protection of data. They transform children when they are constructed, and not in the engine like
 * `transforms`, because the check for lost data needs the names of all.
 */
export function wholeStackOptions(
  stack: string,
  { protectData }: WholeStackArgs,
  opts: pulumi.ComponentResourceOptions = {},
): pulumi.ComponentResourceOptions {
  const declared = new Set<string>();
  const { hex } = new random.RandomId(IDENTITY, { byteLength: 8 });
  // All in the engine has the identity, so a refused change does not begin.
  const identity = pulumi.output(refuseLostData(stack, declared).then(() => hex));
  let images: pulumi.Resource | undefined;
  const afterImages = (): pulumi.Resource => {
    images ??= removeImagesAtEnd(pulumi.interpolate`${LABELS.identity}=${identity}`);
    return images;
  };
  const labels = [
    { label: LABELS.stack, value: stack },
    { label: LABELS.identity, value: identity },
  ];
  const transformation: pulumi.ResourceTransformation = ({ type, name, props, opts }) => {
    declared.add(type === VOLUME ? props.name : name);
    const isProtected = protectData && isIrreplaceable(name, props);
    const own = isProtected && type === VOLUME ? [...labels, PROTECTED] : labels;
    const { build } = props;
    return {
      props: {
        ...props,
        ...(LABELLED.has(type) ? { labels: [...own, ...(props.labels ?? [])] } : {}),
        ...(type === IMAGE
          ? { build: { ...build, args: { ...build.args, STACK: stack, IDENTITY: identity } } }
          : {}),
      },
      opts: {
        ...opts,
        ...(type === IMAGE ? { dependsOn: afterImages() } : {}),
        ...(isProtected ? { protect: true } : {}),
      },
    };
  };
  const providers = hasEngine(opts) ? [] : [commandsEngine()];
  return pulumi.mergeOptions({ providers, transformations: [transformation] }, opts);
}

/** True if the caller provides an engine. */
const hasEngine = ({ parent, provider, providers = {} }: pulumi.ComponentResourceOptions) =>
  [provider, ...Object.values(providers)].some(docker.Provider.isInstance) ||
  parent?.getProvider(VOLUME) !== undefined;

/** Engine of the `docker` command. */
const commandsEngine = (): docker.Provider =>
  new docker.Provider("docker", withProgramErrors(dockerEndpoint));

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
export async function refuseLostData(stack: string, declared: ReadonlySet<string>): Promise<void> {
  const recorded = await recordedResources();
  const held = heldObjects(stack);
  const identity = recordedIdentity(recorded);
  const foreign = held.find((one) => one.identity !== identity);
  if (foreign) throw foreignRefusal(stack, foreign);
  const keys = recorded.map(({ urn }) => urn.split("::").at(-1) ?? "").filter(isEncryptionKey);
  // A refresh removes the labels of volumes from the state.
  const volumes = held.filter((one) => one.isIrreplaceable).map(({ name }) => name);
  const lost = [...keys, ...volumes].filter((name) => !declared.has(name));
  if (lost.length === 0) return;
  throw refusal(
    `This change would delete ${lost.join(", ")}, without which stored data are lost`,
    "undo the change, or use another stack for it; pulumi destroy, or make clean, gives up all data of this one",
  );
}

const refusal = (message: string, hint: string): pulumi.RunError =>
  programError(new UserError(message, hint));

function foreignRefusal(stack: string, { kind, name }: HeldObject): pulumi.RunError {
  return refusal(
    `This machine has containers or volumes of another stack ${stack}, which Pulumi's backend here does not record: ${kind} ${name}`,
    `set PULUMI_BACKEND_URL to the backend that records it, or use another name for this stack; make clean STACK=${stack} FOREIGN=1 deletes the other one with its data`,
  );
}

const READ_ATTEMPTS = 20;
const RETRY_MS = 100;

/**
 * Reads from Pulumi's state what the last run declared. A backend of files may answer "EOF" while it
 * writes the state, because it first truncates a file.
 */
async function recordedResources() {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readState();
    } catch (error) {
      if (attempt === READ_ATTEMPTS || !String(error).includes("EOF")) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function readState() {
  const stackName = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const { outputs } = await pulumi.runtime.invoke(
    "pulumi:pulumi:readStackResourceOutputs",
    { stackName },
    {},
  );
  return Object.entries<Omit<RecordedResource, "urn">>(outputs).map(([urn, one]) => ({
    urn,
    ...one,
  }));
}
