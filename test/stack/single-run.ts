import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A port that no test stack uses; the system frees it whenever a run ends. */
const PORT = 29_090;
const POLL_MS = 5_000;

/** Waits until no other run on this machine uses the names and ports of the test stacks. */
export default async function holdMachine(): Promise<() => void> {
  let server = await listen();
  if (server === undefined) console.log(`another run holds port ${PORT}: waiting for its end`);
  while (server === undefined) {
    await sleep(POLL_MS);
    server = await listen();
  }
  const held = server;
  return () => void held.close();
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
