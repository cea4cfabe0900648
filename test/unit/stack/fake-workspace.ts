import { CommandError, StackNotFoundError } from "@pulumi/pulumi/automation/index.js";

interface Summary {
  readonly name: string;
  readonly current: boolean;
}

/** A Pulumi backend with these stacks. */
export const backend: { stacks: Summary[]; failure: CommandError | null } = {
  stacks: [],
  failure: null,
};

/** Pulumi's error for a command with this output. */
export const commandError = (stderr: string, { prototype } = CommandError): CommandError => {
  const message = `code: 255\n stdout: \n stderr: ${stderr}\n err?: Error: Command failed\n`;
  return Object.assign(Object.create(prototype), { message });
};

/** A Pulumi workspace on that backend, as far as tests need it. */
export function fakeWorkspace() {
  const select = (name: string) => {
    backend.stacks = backend.stacks.map((stack) => ({ ...stack, current: stack.name === name }));
  };
  return {
    listStacks: async () => {
      if (backend.failure) throw backend.failure;
      return backend.stacks;
    },
    selectStack: async (name: string) => {
      if (backend.failure) throw backend.failure;
      if (!backend.stacks.some((stack) => stack.name === name)) {
        throw commandError(`error: no stack named '${name}' found`, StackNotFoundError);
      }
      select(name);
    },
    createStack: async (name: string) => {
      backend.stacks = [...backend.stacks, { name, current: true }];
      select(name);
    },
  };
}
