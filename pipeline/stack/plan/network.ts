import type { Label } from "../labels.ts";
import { LABELS, type StackNames } from "../names.ts";
import { quote } from "../shell.ts";

/** Shell texts about a stack's network; both may be repeated. */
export interface NetworkTexts {
  /** Makes it where it is not there. One of its name that is not the stack's is refused. */
  readonly create: string;
  /** Removes it where it is there. */
  readonly remove: string;
}

export function networkTexts(
  { stack, network }: StackNames,
  labels: readonly Label[],
): NetworkTexts {
  const filters = [`name=^${network}$`, `label=${LABELS.project}=${stack}`];
  const find = `found=$(docker network ls --quiet ${filters.map((one) => `--filter ${quote(one)}`).join(" ")})`;
  const marks = labels.map(({ label, value }) => `--label ${quote(`${label}=${value}`)}`).join(" ");
  return {
    create: `${find}\n[ -n "$found" ] || docker network create ${marks} ${network}`,
    remove: `${find}\n[ -z "$found" ] || docker network rm $found`,
  };
}
