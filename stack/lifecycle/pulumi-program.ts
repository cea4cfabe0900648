import { createRequire } from "node:module";
import { UserError } from "../../contract/errors.ts";

interface Package {
  resolve(): Promise<string>;
}

/**
 * The Pulumi command line itself, of the version the project pins; fetched where it is not there yet.
 * Not through the program that its package offers: that one ends at Ctrl+C and leaves Pulumi behind,
 * which is still writing down what it has done, and it costs each command a start of Node.
 * @returns its path; what it calls lies beside it
 * @throws UserError when the package is not installed, or Pulumi cannot be fetched
 */
export async function pulumiProgram(load: (name: string) => unknown = require): Promise<string> {
  const { resolve } = packageOf(load);
  return resolve().catch((error: Error) => {
    throw new UserError(
      `The Pulumi command line cannot be fetched: ${error.message}`,
      "look at the network, then the same command once more",
    );
  });
}

const require = createRequire(import.meta.url);

function packageOf(load: (name: string) => unknown): Package {
  try {
    return load("pulumi/lib/resolve.js") as Package;
  } catch {
    throw new UserError("The Pulumi command line is not installed.", "npm ci");
  }
}
