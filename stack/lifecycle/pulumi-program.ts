import { createRequire } from "node:module";
import { UserError } from "../../contract/errors.ts";

interface Package {
  resolve(): Promise<string>;
}

/** Returns Pulumi's binary, because its npm wrapper exits too early at Ctrl+C. @throws UserError */
export async function pulumiProgram(load: (name: string) => unknown = require): Promise<string> {
  const { resolve } = packageOf(load);
  return resolve().catch((error: Error) => {
    throw new UserError(
      `The Pulumi command line cannot be downloaded: ${error.message}`,
      "check the network connection, then retry",
    );
  });
}

const require = createRequire(import.meta.url);

function packageOf(load: (name: string) => unknown): Package {
  try {
    return load("pulumi/lib/resolve.js") as Package;
  } catch {
    throw new UserError("The Pulumi command line is not installed", "run npm ci");
  }
}
