import { UserError } from "../../../contract/errors.ts";
import { LABELS } from "../names.ts";
import { execute } from "./process.ts";

/** What the container engine holds of a stack, found by label. */
export interface Owned {
  readonly id: string;
  readonly name: string;
  /** Checkout that made it; empty where it was made by plain `pulumi`. */
  readonly owner: string;
}

export type OwnedKind = "container" | "network" | "volume" | "image";

/** @throws UserError when the container engine does not answer, or refuses */
export async function docker(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await execute("docker", args, { output: "capture" });
  if (code === 0) return stdout.trim();
  if (/Cannot connect|is the docker daemon running|permission denied/i.test(stderr)) {
    throw new UserError(
      `The Docker engine does not answer: ${stderr.trim().split("\n")[0]}`,
      "start Docker, or let this user reach it; then make doctor",
    );
  }
  throw new UserError(`docker ${args.join(" ")}: ${stderr.trim()}`);
}

const LISTINGS: Readonly<Record<OwnedKind, readonly string[]>> = {
  container: ["ps", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Names}}"],
  network: ["network", "ls", "--no-trunc", "--format", "{{.ID}}\t{{.Name}}"],
  volume: ["volume", "ls", "--format", "{{.Name}}\t{{.Name}}"],
  image: ["image", "ls", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Repository}}:{{.Tag}}"],
};

export async function owned(kind: OwnedKind, stack: string): Promise<Owned[]> {
  const listing = LISTINGS[kind];
  const format = `${listing.at(-1)}${kind === "image" ? "" : `\t{{.Label "${LABELS.owner}"}}`}`;
  const filter = ["--filter", `label=${LABELS.project}=${stack}`];
  const text = await docker(...listing.slice(0, -1), format, ...filter);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", name = "", owner = ""] = line.split("\t");
      return { id, name, owner };
    });
}
