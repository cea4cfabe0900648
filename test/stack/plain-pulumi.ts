import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** What `pulumi stack output` shows of the program. */
export interface Outputs {
  readonly addresses: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A stack in a backend of its own that is operated with `pulumi` alone, without make. */
export class PlainStack {
  readonly name: string;
  /** Backend and configuration file. */
  readonly folder: string;

  private constructor(name: string, folder: string) {
    this.name = name;
    this.folder = folder;
  }

  /** @param folder of a stack that exists */
  static existing(name: string, folder: string): PlainStack {
    return new PlainStack(name, folder);
  }

  /** @param config text of the stack's configuration file */
  static create(name: string, config: string): PlainStack {
    const stack = new PlainStack(name, mkdtempSync(join(tmpdir(), "plain-pulumi-")));
    stack.#init(config);
    return stack;
  }

  #init(config: string): void {
    mkdirSync(join(this.folder, "backend"));
    copyFileSync(join(ROOT, "Pulumi.yaml"), join(this.folder, "Pulumi.yaml"));
    writeFileSync(this.#configFile, config);
    // Here, and not in a tracked file, Pulumi writes the salt.
    this.#pulumi(["stack", "init", this.name, "--cwd", this.folder]);
  }

  get #configFile(): string {
    return join(this.folder, `Pulumi.${this.name}.yaml`);
  }

  /** On a busy machine a service may take longer than the provider waits: then it needs a second run. */
  up(...args: readonly string[]): void {
    const up = ["up", "--yes", "--skip-preview"];
    try {
      this.#onStack(...up, ...args);
    } catch (error) {
      if (!String(error).includes("failed to be in healthy state")) throw error;
      console.error("A service was not healthy in time: pulumi up again.");
      this.#onStack(...up);
    }
  }

  /** @throws Error where a preview shows a change */
  expectNoChange(): void {
    this.#onStack("preview", "--expect-no-changes");
  }

  /** @param path of a setting, such as `bi.secretKeyGeneration` */
  set(path: string, value: string): void {
    this.#onStack("config", "set", "--path", `event-pipeline:${path}`, value);
  }

  outputs(): Outputs {
    const show = ["stack", "output", "--json", "--show-secrets", "--stack", this.name];
    return JSON.parse(this.#pulumi(show)) as Outputs;
  }

  /** Ids of the running containers by role. */
  containers(): Readonly<Record<string, string>> {
    const filter = `label=event-pipeline.stack=${this.name}`;
    const format = '{{.Label "event-pipeline.role"}}\t{{.ID}}';
    const lines = run("docker", ["ps", "--no-trunc", "--filter", filter, "--format", format]);
    const rows = lines.split("\n").filter((line) => line !== "");
    return Object.fromEntries(rows.map((line) => line.split("\t")));
  }

  destroy(): void {
    this.#onStack("destroy", "--yes", "--skip-preview");
    rmSync(this.folder, { recursive: true, force: true });
  }

  #onStack(...args: readonly string[]): string {
    return this.#pulumi([...args, "--stack", this.name, "--config-file", this.#configFile]);
  }

  #pulumi(args: readonly string[]): string {
    const { PULUMI_CONFIG_PASSPHRASE_FILE: _, ...environment } = process.env;
    return run(join(ROOT, "node_modules/.bin/pulumi"), [...args, "--non-interactive"], {
      ...environment,
      PULUMI_BACKEND_URL: `file://${join(this.folder, "backend")}`,
      PULUMI_CONFIG_PASSPHRASE: "of a test",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    });
  }
}

const MOST_SHOWN = 4000;

/** @throws Error with the end of what the program said where it fails */
export function run(program: string, args: readonly string[], env = process.env): string {
  const options = { cwd: ROOT, encoding: "utf8", env, maxBuffer: 256 * 1024 * 1024 } as const;
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error) throw error;
  if (status === 0) return stdout;
  throw new Error(
    `${program} ${args.join(" ")} ended with ${status}:\n${(stdout + stderr).slice(-MOST_SHOWN)}`,
  );
}
