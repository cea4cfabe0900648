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
    // Asked only where it cannot be made: every service waits for this.
    create: [
      `if ! said=$(docker network create ${marks} ${network} 2>&1); then`,
      find,
      `[ -n "$found" ] || { printf '%s\\n' "$said" >&2; exit 1; }`,
      "fi",
    ].join("\n"),
    remove: `${find}\n[ -z "$found" ] || docker network rm $found`,
  };
}
