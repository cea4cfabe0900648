import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** No service of a test's stack uses it. The system frees it when a run ends, however it ends. */
const PORT = 29_090;
const POLL_MS = 5_000;

/** Waits until no other run on this machine uses the names and ports of the tests' stacks. */
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

/** Undefined: the port is taken. */
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
