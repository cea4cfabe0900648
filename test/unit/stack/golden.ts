import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { shortYaml } from "../../support/short-yaml.ts";
import type { RecordedResource } from "./record.ts";

const GOLDEN = join(import.meta.dirname, "../../golden");
const WIDTH = 100;

/**
 * Compares with the committed files, so that a change of the stack is reviewed as a diff: one file
 * for the program, and one per dashboard and group of alert rules. `vitest -u` writes the files.
 */
export async function expectGolden(resources: readonly RecordedResource[]): Promise<void> {
  const program = resources.map((one) =>
    isContent(one) ? { ...one, inputs: `in ${fileOf(one)}` } : one,
  );
  await expect(compactJson(program)).toMatchFileSnapshot(join(GOLDEN, "stack-dev.json"));
  const content = resources.filter(isContent);
  for (const one of content) {
    await expect(shortYaml(one.inputs)).toMatchFileSnapshot(join(GOLDEN, fileOf(one)));
  }
  const written = content.map(fileOf).sort();
  expect(readdirSync(join(GOLDEN, "grafana")).map((file) => `grafana/${file}`)).toEqual(written);
}

/** The program with the defaults, to compare other configurations with. */
export const goldenProgram = (): RecordedResource[] =>
  JSON.parse(readFileSync(join(GOLDEN, "stack-dev.json"), "utf8"));

const isContent = ({ type }: RecordedResource): boolean =>
  /^grafana:.*:(Dashboard|RuleGroup)$/.test(type);

const fileOf = ({ name }: RecordedResource): string =>
  `grafana/${name.replace(/^grafana-/, "")}.yaml`;

/** Writes innermost lists and objects on one line, if it is short. */
const compactJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 1).replace(/[[{]\n[^[\]{}]*\n *[\]}]/g, (text) => {
    const line = text.replace(/\n */g, " ");
    return line.length <= WIDTH ? line : text;
  })}\n`;
