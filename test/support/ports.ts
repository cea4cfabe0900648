import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** A port in use until `free` is called. */
export async function takePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const free = async (): Promise<void> => {
    server.close();
    await once(server, "close");
  };
  return { port, free };
}

/** A port that was free at the time of the call. */
export async function freePort(): Promise<number> {
  const { port, free } = await takePort();
  await free();
  return port;
}
