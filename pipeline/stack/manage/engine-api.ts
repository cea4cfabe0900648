import { request } from "node:http";
import { engineHost } from "../engine-host.ts";

const PATIENCE_MS = 10_000;

/**
 * Where the engine listens on this machine.
 * @returns null for one that is reached otherwise (ssh, tcp, a pipe)
 */
export function engineSocket(): string | null {
  const host = engineHost();
  return host.startsWith("unix://") ? host.slice("unix://".length) : null;
}

/**
 * Asks the engine itself, where its command line has no word for a question.
 * @param given ends waiting
 * @returns JSON
 * @throws Error when it does not answer, or not with 200
 */
export function askEngine(socketPath: string, path: string, given: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([given, AbortSignal.timeout(PATIENCE_MS)]);
  return new Promise((resolve, reject) => {
    // Without a version: the engine's own, as no version is old enough and new enough for all.
    const asked = request({ socketPath, path, signal }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString();
        // A container that is removed meanwhile is answered with 200 and nothing.
        if (response.statusCode === 200 && text !== "") return resolve(text);
        reject(new Error(`the Docker engine refuses ${path}: ${text.trim()}`));
      });
    });
    asked.on("error", reject);
    asked.end();
  });
}
