import { connect } from "node:net";

const CONNECT_MS = 2_000;

/** True if a server accepts a TCP connection. */
export const answersAt = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host, timeout: CONNECT_MS });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
