import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { removeOwned } from "../../stack/lifecycle/down.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";

/** A port that no test stack uses; the system frees it whenever a run ends. */
const PORT = 29_090;
const POLL_MS = 5_000;

/**
 * Waits until no other run on this machine uses the names and ports of the test stacks, then frees
 * those that a killed run still holds.
 */
export default async function holdMachine(): Promise<() => void> {
  let server = await listen();
  if (server === undefined) console.log(`another run holds port ${PORT}: waiting for its end`);
  while (server === undefined) {
    await sleep(POLL_MS);
    server = await listen();
  }
  const held = server;
  await removeLeftovers();
  return () => void held.close();
}

export async function removeLeftovers(): Promise<void> {
  for (const stack of Object.values(LEVEL_STACKS)) await removeOwned(stack);
}

/** Undefined if the port is taken. */
async function listen(): Promise<Server | undefined> {
  const server = createServer().listen(PORT, "127.0.0.1").unref();
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
