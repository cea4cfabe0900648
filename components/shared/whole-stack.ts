import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { isEncryptionKey } from "../secrets.ts";
import { dockerEngine } from "./engine.ts";
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
 */
export function applyToWholeStack({ protectData }: { readonly protectData: boolean }): void {
  const provider = new docker.Provider("docker", { ...dockerEngine().connection });
  const label = { label: LABELS.stack, value: pulumi.getStack() };
  pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) => ({
    props: LABELLED.has(type) ? { ...props, labels: [label, ...(props.labels ?? [])] } : props,
    opts: {
      ...opts,
      ...(type.startsWith("docker:") ? { provider } : {}),
      ...(protectData && isIrreplaceable(name, props) ? { protect: true } : {}),
    },
  }));
}

const isIrreplaceable = (name: string, { labels = [] }: { labels?: unknown[] }) =>
  labels.includes(IRREPLACEABLE) || isEncryptionKey(name);
