import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError, StackNotFoundError } from "@pulumi/pulumi/automation/index.js";

interface Summary {
  readonly name: string;
  readonly current: boolean;
}

/** A Pulumi backend with these stacks. */
export const backend: { stacks: Summary[] } = { stacks: [] };

export const selected = (): string | undefined =>
  backend.stacks.find(({ current }) => current)?.name;

/** Pulumi's error for a command with this output. */
export const commandError = (stderr: string, { prototype } = CommandError): CommandError => {
  const message = `code: 255\n stdout: \n stderr: ${stderr}\n err?: Error: Command failed\n`;
  return Object.assign(Object.create(prototype), { message });
};

interface Options {
  readonly workDir?: string;
  readonly envVars?: Readonly<Record<string, string>>;
}

/** A Pulumi workspace on that backend, as far as tests need it; with Pulumi's side effects. */
export function fakeWorkspace({ workDir = "", envVars = {} }: Options = {}) {
  const select = (name: string) => {
    backend.stacks = backend.stacks.map((stack) => ({ ...stack, current: stack.name === name }));
  };
  return {
    listStacks: async () => {
      return backend.stacks;
    },
    selectStack: async (name: string) => {
      if (!backend.stacks.some((stack) => stack.name === name)) {
        throw commandError(`error: no stack named '${name}' found`, StackNotFoundError);
      }
      select(name);
    },
    createStack: async (name: string) => {
      appendFileSync(join(workDir, `Pulumi.${name}.yaml`), "encryptionsalt: v1:x:y\n");
      backend.stacks = [...backend.stacks, { name, current: false }];
      if (envVars.PULUMI_OPTION_NO_SELECT !== "true") select(name);
    },
    removeStack: async (name: string) => {
      backend.stacks = backend.stacks.filter((stack) => stack.name !== name);
      // Pulumi forgets the selection, whichever stack it removes.
      select("");
    },
  };
}
