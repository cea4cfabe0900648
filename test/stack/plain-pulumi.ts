import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Outputs of the program in `pulumi stack output`. */
export interface Outputs {
  readonly client: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A stack with its own backend that is operated with `pulumi` alone, without make. */
export class PlainStack {
  readonly name: string;
  /** Folder of the backend and the configuration file. */
  readonly folder: string;

  private constructor(name: string, folder: string) {
    this.name = name;
    this.folder = folder;
  }

  /** @param config content of the stack's configuration file */
  static create(name: string, config: string): PlainStack {
    const stack = new PlainStack(name, mkdtempSync(join(tmpdir(), "plain-pulumi-")));
    stack.#init(config);
    return stack;
  }

  #init(config: string): void {
    mkdirSync(join(this.folder, "backend"));
    copyFileSync(join(ROOT, "Pulumi.yaml"), join(this.folder, "Pulumi.yaml"));
    writeFileSync(this.#configFile, config);
    // Pulumi writes the salt to this copy, not to a tracked file.
    this.#pulumi(["stack", "init", this.name, "--cwd", this.folder]);
  }

  get #configFile(): string {
    return join(this.folder, `Pulumi.${this.name}.yaml`);
  }

  up(...args: readonly string[]): void {
    this.#onStack("up", "--yes", "--skip-preview", ...args);
  }

  /** @throws Error if a preview shows a change */
  expectNoChange(): void {
    this.#onStack("preview", "--expect-no-changes");
  }

  /** @param path of a setting, such as `postgres.supersetKeyGeneration` */
  set(path: string, value: string): void {
    this.#onStack("config", "set", "--path", `event-pipeline:${path}`, value);
  }

  setSecret(name: string, value: string): void {
    this.#onStack("config", "set", "--secret", `event-pipeline:${name}`, value);
  }

  outputs(): Outputs {
    const show = ["stack", "output", "--json", "--show-secrets", "--stack", this.name];
    return JSON.parse(this.#pulumi(show)) as Outputs;
  }

  /** Ids of the running containers by service. */
  containers(): Readonly<Record<string, string>> {
    const filter = `label=event-pipeline.stack=${this.name}`;
    const format = '{{.Label "event-pipeline.service"}}\t{{.ID}}';
    const lines = run("docker", ["ps", "--no-trunc", "--filter", filter, "--format", format]);
    const rows = lines.split("\n").filter((line) => line !== "");
    return Object.fromEntries(rows.map((line) => line.split("\t")));
  }

  destroy(): void {
    this.#pulumi(["state", "unprotect", "--all", "--yes", "--stack", this.name]);
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

const MAX_SHOWN = 4000;

/** @throws Error with the end of the program's output if it fails */
export function run(program: string, args: readonly string[], env = process.env): string {
  const options = { cwd: ROOT, encoding: "utf8", env, maxBuffer: 256 * 1024 * 1024 } as const;
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error) throw error;
  if (status === 0) return stdout;
  throw new Error(
    `${program} ${args.join(" ")} ended with ${status}:\n${(stdout + stderr).slice(-MAX_SHOWN)}`,
  );
}
