import { appendFileSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { askPulumi } from "../../../stack/lifecycle/pulumi.ts";
import { fileOf } from "./own-root.ts";

type Ask = typeof askPulumi;
type Show = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  failure: { readonly message: string; readonly hint: string },
) => Promise<void>;

/** State and outputs of the stacks, which are all alike. */
interface State {
  resources: { urn: string; [key: string]: unknown }[];
  pending_operations: object[];
  salt: string | undefined;
  outputs: Readonly<Record<string, unknown>>;
}

/** Replaces `stack/lifecycle/pulumi.ts`: keeps stacks with Pulumi's side effects, and records operations. */
export class FakePulumi {
  stacks: { name: string; current: boolean }[] = [{ name: "dev", current: true }];
  state: State = { resources: [], pending_operations: [], salt: undefined, outputs: {} };
  /** Operations with their options, without those that each has. */
  readonly done: string[] = [];
  /** True if the state was compared with the engine after an update. */
  isCompared = false;
  /** Settings of the last command. */
  text = "";
  /** Is called before an operation, which it may refuse. */
  before: (operation: string) => void = () => undefined;
  /** Is called before each question, which it may refuse. */
  beforeQuestion: () => void = () => undefined;

  readonly ask: Ask = async (args, env = {}) => {
    this.beforeQuestion();
    this.#read(env);
    const [command, part, name = ""] = args;
    if (command === "config") return listingOf(this.text);
    if (command === "refresh") {
      this.isCompared = this.done.at(-1)?.startsWith("up") ?? false;
      return "";
    }
    if (part === "ls") return JSON.stringify(this.stacks);
    if (part === "output") return JSON.stringify(this.state.outputs);
    if (part === "export") return this.#exported();
    if (part === "init") this.#create(name, args.includes("--no-select"));
    else if (part === "select") this.#select(name);
    else if (part === "rm") this.#remove(args.at(-1) ?? "");
    else throw new Error(`unexpected: pulumi ${args.join(" ")}`);
    return "";
  };

  readonly show: Show = async (args, env) => {
    this.#read(env);
    const options = args.slice(0, args.indexOf("--stack")).filter((one) => !ALWAYS.has(one));
    this.before(options.join(" "));
    this.done.push(options.join(" "));
  };

  record(...names: string[]): void {
    this.stacks = names.map((name, place) => ({ name, current: place === 0 }));
  }

  /** Adds resources with these ids, and the state's identity. */
  holds(...ids: string[]): void {
    const identity = "urn::random:index/randomId:RandomId::identity";
    this.state.resources.push({ urn: identity, outputs: { hex: "own" } });
    this.state.resources.push(...ids.map((id) => ({ urn: `urn:${id}`, id })));
  }

  get selected(): string | undefined {
    return this.stacks.find(({ current }) => current)?.name;
  }

  #read({ PULUMI_OPTION_CONFIG_FILE: file }: Readonly<Record<string, string>>): void {
    if (file) this.text = readFileSync(file, "utf8");
  }

  #exported(): string {
    const { resources, pending_operations, salt } = this.state;
    const secrets_providers = { state: salt === undefined ? {} : { salt } };
    return JSON.stringify({ deployment: { resources, pending_operations, secrets_providers } });
  }

  #select(name: string): void {
    this.stacks = this.stacks.map((stack) => ({ ...stack, current: stack.name === name }));
  }

  #create(name: string, isUnselected: boolean): void {
    appendFileSync(fileOf(name), "encryptionsalt: v1:x:y\n");
    this.stacks = [...this.stacks, { name, current: false }];
    if (!isUnselected) this.#select(name);
  }

  #remove(name: string): void {
    this.done.push("remove");
    this.stacks = this.stacks.filter((stack) => stack.name !== name);
    // Pulumi forgets the selection, whichever stack it removes.
    this.#select("");
  }
}

const ALWAYS: ReadonlySet<string> = new Set(["--yes", "--skip-preview", "--suppress-outputs"]);

/** Returns what `pulumi config --json` prints for a stack's file. */
function listingOf(text: string): string {
  const { config } = (parse(text) ?? {}) as { config?: Record<string, unknown> };
  const entries = Object.entries(config ?? {}).map(([key, value]) => {
    const json = JSON.stringify(value);
    if (json.includes('"secure"')) return [key, { secret: true }];
    return [key, { value: typeof value === "string" ? value : json, secret: false }];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** Module in place of `stack/lifecycle/pulumi.ts`. @param pulumi is called at each command */
export const fakeModule = (pulumi: () => FakePulumi) => ({
  askPulumi: ((...args) => pulumi().ask(...args)) satisfies Ask,
  showPulumi: ((...args) => pulumi().show(...args)) satisfies Show,
});
