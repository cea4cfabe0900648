import { statSync } from "node:fs";
import { files } from "./settings.ts";

/** Poll interval, ms, like the server's. */
const POLL_MS = 2_000;

/** Reloads on file changes. Returns a function that stops it. */
export function watchSettings(reload: () => Promise<void>): () => void {
  let version = versionOfFiles();
  const timer = setInterval(async () => {
    const now = versionOfFiles();
    if (now === version) return;
    version = now;
    try {
      await reload();
      process.stdout.write("Configuration reloaded\n");
    } catch (error) {
      process.stderr.write(`Configuration kept: ${String(error)}\n`);
    }
  }, POLL_MS);
  return () => clearInterval(timer);
}

/** Uses ctime: deployed files all have the same mtime. */
const versionOfFiles = (): string =>
  files()
    .map((file) => `${file} ${statSync(file).ctimeMs}`)
    .join();
