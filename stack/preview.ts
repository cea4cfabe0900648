import { z } from "zod";
import { dataVolumes } from "../components/services.ts";
import { isEncryptionKey } from "../components/shared/encryption-keys.ts";

const state = z.looseObject({
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});

const step = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: state.optional(),
  newState: state.optional(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});

const previewSchema = z.looseObject({ steps: z.array(step).default([]) });

export type Preview = z.infer<typeof previewSchema>;
export type Step = Preview["steps"][number];

/** Parses a preview. @param value steps in the form of `pulumi preview --json` */
export const previewFrom = (value: unknown): Preview => previewSchema.parse(value);

export const typeOf = ({ urn }: Pick<Step, "urn">): string =>
  urn.split("::")[2]?.split("$").at(-1) ?? "";
export const nameOf = ({ urn }: Pick<Step, "urn">): string => urn.split("::").at(-1) ?? "";

/** True for components, providers and the stack, which have no resource in the engine. */
export const isComponent = (step: Step): boolean => NO_RESOURCE.test(typeOf(step));

export const NO_RESOURCE = /^(eventpipeline:|pulumi:(pulumi|providers):)/;

export function physicalName(step: Step): string {
  const inputs = step.newState?.inputs ?? step.oldState?.inputs ?? {};
  const name = inputs.name ?? inputs.imageName;
  return typeof name === "string" ? name : nameOf(step);
}

const REPLACING = ["replace", "create-replacement", "delete-replaced"];

export const deletes = ({ op }: Step): boolean => op === "delete";
export const replaces = ({ op }: Step): boolean => REPLACING.includes(op);

export const VOLUME = "docker:index/volume:Volume";

interface DeletedVolume {
  readonly type: string;
  readonly name: string;
  readonly isConfiguration: boolean;
}

/** Returns the data loss by a deletion; the volume of a service that was removed is irreplaceable. */
export const lossOf = ({ type, name, isConfiguration }: DeletedVolume) =>
  type === VOLUME && !isConfiguration
    ? (dataVolumes.get(name)?.loss ?? "irreplaceable")
    : undefined;

/** True for a volume with files of the program. */
export const isConfiguration = ({ urn }: Pick<Step, "urn">): boolean =>
  urn.includes(`:ConfigVolume$${VOLUME}::`);

export const isIrreplaceable = (step: Pick<Step, "urn">): boolean =>
  lossOf({ type: typeOf(step), name: nameOf(step), isConfiguration: isConfiguration(step) }) ===
    "irreplaceable" || isEncryptionKey(nameOf(step));
