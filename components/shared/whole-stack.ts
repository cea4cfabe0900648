import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { UserError } from "../../contract/errors.ts";
import { isEncryptionKey } from "../secrets.ts";
import { dockerEngine, volumesWith } from "./engine.ts";
import { IRREPLACEABLE, LABELS } from "./names.ts";

/** Types of the Docker provider that have labels. */
const LABELLED: ReadonlySet<string> = new Set([
  "docker:index/container:Container",
  "docker:index/network:Network",
  "docker:index/volume:Volume",
]);

/**
 * Gives every resource what the whole stack shares: the engine of the `docker` command, the label
 * by which commands find it, and protection of data.
 * @returns the names of the volumes that the program declares from now on
 */
export function applyToWholeStack({
  protectData,
}: {
  readonly protectData: boolean;
}): ReadonlySet<string> {
  const provider = new docker.Provider("docker", { ...dockerEngine().connection });
  const label = { label: LABELS.stack, value: pulumi.getStack() };
  const volumes = new Set<string>();
  pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) => {
    if (type === "docker:index/volume:Volume") volumes.add(props.name);
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
  return volumes;
}

interface Labelled {
  readonly labels?: readonly { readonly label: string }[];
}

const isIrreplaceable = (name: string, { labels = [] }: Labelled): boolean =>
  labels.some(({ label }) => label === IRREPLACEABLE.label) || isEncryptionKey(name);

/**
 * Refuses a program without a volume whose data cannot be made again, because Pulumi would delete it.
 * @param declared names of the program's volumes
 * @throws UserError
 */
export function refuseLostData(declared: ReadonlySet<string>): void {
  const stored = volumesWith(
    `${LABELS.stack}=${pulumi.getStack()}`,
    `${IRREPLACEABLE.label}=${IRREPLACEABLE.value}`,
  );
  const lost = stored.filter((name) => !declared.has(name));
  if (lost.length === 0) return;
  throw new UserError(
    `This change would delete the data in ${lost.join(", ")}`,
    "undo the change, or use another stack for it; pulumi destroy, or make clean, gives up all data of this one",
  );
}
