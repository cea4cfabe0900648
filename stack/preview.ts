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
});

const previewSchema = z.looseObject({ steps: z.array(step).default([]) });

export type Preview = z.infer<typeof previewSchema>;
export type Step = Preview["steps"][number];

/** Parses a preview. @param value steps in the form of `pulumi preview --json` */
export const previewFrom = (value: unknown): Preview => previewSchema.parse(value);

export const typeOf = ({ urn }: Pick<Step, "urn">): string =>
  urn.split("::")[2]?.split("$").at(-1) ?? "";
export const nameOf = ({ urn }: Pick<Step, "urn">): string => urn.split("::").at(-1) ?? "";

export function physicalName(step: Step): string {
  const inputs = step.newState?.inputs ?? step.oldState?.inputs ?? {};
  const name = inputs.name ?? inputs.imageName;
  return typeof name === "string" ? name : nameOf(step);
}

const REPLACING = ["replace", "create-replacement", "delete-replaced"];

export const deletes = ({ op }: Step): boolean => op === "delete";
export const replaces = ({ op }: Step): boolean => REPLACING.includes(op);

export const VOLUME = "docker:index/volume:Volume";

/** True for data that cannot be made again; the volume of a service that was removed counts as such. */
export const isIrreplaceable = (step: Pick<Step, "urn">): boolean =>
  isEncryptionKey(nameOf(step)) || (isDataVolume(step) && lossOf(step) === "irreplaceable");

/** False for a volume with files of the program. */
const isDataVolume = (step: Pick<Step, "urn">): boolean =>
  typeOf(step) === VOLUME && !step.urn.includes(`:ConfigVolume$${VOLUME}::`);

const lossOf = (step: Pick<Step, "urn">) => dataVolumes.get(nameOf(step))?.loss ?? "irreplaceable";
