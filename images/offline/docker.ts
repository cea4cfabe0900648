import { spawnSync } from "node:child_process";
import { UserError } from "../../contract/errors.ts";

export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, error } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 256 * 1024 * 1024,
    ...options,
  });
  if (error) {
    throw new UserError(`${program} cannot be run: ${error.message}`, hints[program]);
  }
  if (status !== 0) {
    throw new UserError(
      `${[program, ...args].join(" ")} failed with exit code ${status}; see the output above`,
      "fix the cause, then run make offline-images to resume with this image",
    );
  }
  return stdout.trim();
}

const hints: Readonly<Record<string, string>> = {
  docker: "install the Docker engine and command line",
  debootstrap: "run apt-get install debootstrap",
  mvn: "install Maven and Java 17",
  go: "install Go",
};

export function imageLabel(image: string, label: string): string | undefined {
  const format = `{{index .Config.Labels "${label}"}}`;
  const { stdout, status } = spawnSync("docker", ["image", "inspect", "-f", format, image], {
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() || undefined : undefined;
}
