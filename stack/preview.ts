import { z } from "zod";
import { isEncryptionKey } from "../components/shared/encryption-keys.ts";
import { DATA_LOSS, type VolumeRole } from "../components/shared/spec.ts";

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

/** @param value steps in the form of `pulumi preview --json` */
export const previewFrom = (value: unknown): Preview => previewSchema.parse(value);

export const parsePreview = (text: string): Preview => previewFrom(JSON.parse(text));

export const typeOf = (step: Step): string => step.urn.split("::")[2]?.split("$").at(-1) ?? "";
export const nameOf = (step: Step): string => step.urn.split("::").at(-1) ?? "";

/** Components, providers and the stack itself run nothing: only their children count. */
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

const VOLUME = "docker:index/volume:Volume";

/** Undefined for configuration volumes and other resources. */
export function volumeLoss(type: string, name: string): DataLoss | undefined {
  const role = name.split("-").at(-1) ?? "";
  return type === VOLUME && isVolumeRole(role) ? DATA_LOSS[role] : undefined;
}

type DataLoss = (typeof DATA_LOSS)[VolumeRole];
const isVolumeRole = (role: string): role is VolumeRole => Object.hasOwn(DATA_LOSS, role);

export const isIrreplaceable = (step: Step): boolean =>
  volumeLoss(typeOf(step), nameOf(step)) === "irreplaceable" || isEncryptionKey(nameOf(step));
