import { statSync } from "node:fs";
import { files } from "./settings.ts";

/** Poll interval, ms, like the server's. */
const POLL_MS = 2_000;

/** Reloads the settings after file changes. @returns a function that stops watching */
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
      process.stderr.write(`Configuration not reloaded: ${String(error)}\n`);
    }
  }, POLL_MS);
  return () => clearInterval(timer);
}

/** Returns a version by ctime, because deployed files have equal mtimes. */
const versionOfFiles = (): string =>
  files()
    .map((file) => `${file} ${statSync(file).ctimeMs}`)
    .join();
