import { createRequire } from "node:module";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";

interface Package {
  resolve(): Promise<string>;
  isExecutable(file: string): boolean;
}

type Load = (name: string) => unknown;

/** Returns Pulumi's binary, because its npm wrapper exits too early at Ctrl+C. @throws UserError */
export async function pulumiProgram(load: Load = require): Promise<string> {
  const { resolve } = packageOf(load);
  return resolve().catch((error: Error) => {
    throw new UserError(
      `The Pulumi command line cannot be downloaded: ${error.message}`,
      "check the network connection, then retry",
    );
  });
}

const require = createRequire(import.meta.url);

/** Tells whether `pulumiProgram` has nothing to download. */
export function isPulumiInstalled(load: Load = require): boolean {
  const { isExecutable } = packageOf(load);
  const { cacheDir } = load("pulumi/lib/cache.js") as { cacheDir(version: string): string };
  const { version } = load("pulumi/package.json") as { version: string };
  return isExecutable(join(cacheDir(process.env.PULUMI_VERSION || version), "bin/pulumi"));
}

function packageOf(load: Load): Package {
  try {
    return load("pulumi/lib/resolve.js") as Package;
  } catch {
    throw new UserError("The Pulumi command line is not installed", "run npm ci");
  }
}
