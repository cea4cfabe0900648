import { statSync } from "node:fs";
import { files } from "./settings.ts";

/** The server looks for changed files this often as well. */
const POLL_MS = 2_000;

/** Reloads whenever a file has changed. Returns how to end that. */
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

/** By time of change: the files arrive with one and the same time of modification. */
const versionOfFiles = (): string =>
  files()
    .map((file) => `${file} ${statSync(file).ctimeMs}`)
    .join();
