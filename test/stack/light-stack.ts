import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { parse, stringify } from "yaml";
import { LEVEL_STACKS } from "./level-stacks.ts";
import { docker, forgetState, operate, ROOT, readText, services, writeFile } from "./operator.ts";

/** A stack of three services, and a second one beside it. */
export const STACK = LEVEL_STACKS.one;
export const OTHER = LEVEL_STACKS.other;
export const LIGHT = "test/stack/light.yaml";
export const HTTP_PORT = 29_123;

afterAll(() => {
  for (const stack of [OTHER, STACK]) operate(stack, "clean", "--protected");
  forgetState();
});

export const succeed = (stack: string, command: string, ...args: string[]): string => {
  const { code, text } = operate(stack, command, ...args);
  expect(code, text).toBe(0);
  return text;
};

type Settings = Readonly<Record<string, object>>;

/** Changes settings of the light configuration; returns a function that restores it. */
export function configure(stack: string, settings: Settings): () => void {
  const file = `Pulumi.${stack}.yaml`;
  const present = existsSync(join(ROOT, file)) ? parse(readText(file)) : {};
  const config = { ...parse(readText(LIGHT)).config, ...present.config };
  const changed = Object.entries(settings).map(([service, values]) => {
    const key = `event-pipeline:${service}`;
    const isElsewhere = "mode" in values;
    return [key, isElsewhere ? values : { ...config[key], ...values }];
  });
  return writeFile(
    file,
    stringify(
      { ...present, config: { ...config, ...Object.fromEntries(changed) } },
      // Pulumi would read a plain text like 2026-01-01T00:00:00Z as a time.
      { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" },
    ),
  );
}

/** Anonymous volumes that images declare and the services' containers mount. */
export function anonymousVolumes(): string[] {
  const format = "{{range .Mounts}}{{.Name}} {{end}}";
  const mounted = docker("inspect", "--format", format, ...Object.values(services(STACK)));
  return mounted.split(/\s+/).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

/** Those anonymous volumes that still exist. */
export function remaining(names: readonly string[]): string[] {
  const present = docker("volume", "ls", "--quiet").split("\n");
  return names.filter((name) => present.includes(name));
}
