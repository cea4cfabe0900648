import { formatCount } from "../../terminal/format.ts";
import { docker } from "../manage/docker.ts";
import { LABELS } from "../names.ts";
import { memoryOf } from "../plan/stack.ts";
import { stackIds } from "../state.ts";
import { type Finding, fail, ok, type Patient, warn } from "./check.ts";

const LEAST_VERSION = 20;
const MIB = 1024 ** 2;

/** The container engine itself: does it answer, is it new enough, has it memory for the stack. */
export async function engineFindings({ plan }: Patient): Promise<Finding[]> {
  const info = JSON.parse(await docker("info", "--format", "{{json .}}")) as {
    ServerVersion: string;
    MemTotal: number;
    MemoryLimit: boolean;
  };
  return [
    Number.parseInt(info.ServerVersion, 10) >= LEAST_VERSION
      ? ok("docker", `engine ${info.ServerVersion}`)
      : fail("docker", `engine ${info.ServerVersion} is older than 20.10`, "update Docker"),
    memory(memoryOf(plan), Math.floor(info.MemTotal / MIB)),
  ];
}

export function memory(limits: number, total: number): Finding {
  const detail = `limits add up to ${formatCount(limits)} MiB, the engine has ${formatCount(total)} MiB`;
  return limits <= total
    ? ok("memory", detail)
    : fail(
        "memory",
        detail,
        "give Docker more memory, or lower database.memoryMiB in Pulumi.<stack>.yaml",
      );
}

/** Stacks that hold containers, networks or volumes and that this checkout knows nothing of. */
export async function leftoverFindings(): Promise<Finding[]> {
  const label = `{{.Label "${LABELS.project}"}}`;
  const filter = ["--filter", `label=${LABELS.project}`, "--format", label];
  const texts = [
    await docker("ps", "--all", ...filter),
    await docker("network", "ls", ...filter),
    await docker("volume", "ls", ...filter),
  ];
  const present = new Set(texts.flatMap((text) => text.split("\n")).filter((name) => name !== ""));
  const known = new Set(stackIds());
  const unknown = [...present].filter((name) => !known.has(name)).sort();
  if (unknown.length === 0) return [ok("leftovers", "none")];
  return unknown.map((name) =>
    warn(
      "leftovers",
      `of a stack ${name} that is not of this checkout`,
      `make clean STACK=${name}, if nobody uses it`,
    ),
  );
}
