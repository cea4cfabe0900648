import { z } from "zod";
import { isEncryptionKey } from "../components/secrets.ts";
import { IRREPLACEABLE } from "../components/shared/names.ts";

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

/** True for data that cannot be made again. */
export const isIrreplaceable = (step: Pick<Step, "urn" | "oldState">): boolean =>
  isEncryptionKey(nameOf(step)) || (typeOf(step) === VOLUME && isLabelled(step.oldState?.inputs));

const labels = z.array(z.looseObject({ label: z.string(), value: z.string() }));

const isLabelled = (inputs: Record<string, unknown> = {}): boolean =>
  (labels.safeParse(inputs.labels).data ?? []).some(
    ({ label, value }) => label === IRREPLACEABLE.label && value === IRREPLACEABLE.value,
  );
