import type { IncomingMessage } from "node:http";

/** Checks for late headers, per timeout. */
const LOOKS_PER_TIMEOUT = 10;

/** Headers must arrive in time, a large insert need not be complete. */
export const serverTimeouts = (clientTimeoutMs: number) => ({
  headersTimeout: clientTimeoutMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.ceil(clientTimeoutMs / LOOKS_PER_TIMEOUT),
});

/** After `timeoutMs` to twice that. Bytes that wait for this program do not count. */
export function endStalledBody(request: IncomingMessage, timeoutMs: number): void {
  let seen = request.socket.bytesRead;
  const timer = setInterval(() => {
    const { bytesRead } = request.socket;
    if (request.complete) clearInterval(timer);
    else if (bytesRead === seen && request.readableLength === 0) request.destroy();
    seen = bytesRead;
  }, timeoutMs);
  timer.unref();
  request.once("close", () => clearInterval(timer));
}
