import { statSync } from "node:fs";
import type { Database } from "../../../contract/ports.ts";
import { defineBroker } from "../../../pipeline/broker/collection.ts";
import { files, readSettings } from "./settings.ts";

/** The server looks for changed files this often as well. */
const POLL_MS = 2_000;

/** Applies the broker's address whenever a file has changed. Returns how to end that. */
export function watchSettings(db: Database): () => void {
  let version = versionOfFiles();
  const timer = setInterval(async () => {
    const now = versionOfFiles();
    if (now === version) return;
    version = now;
    try {
      await defineBroker(db, readSettings().broker);
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
