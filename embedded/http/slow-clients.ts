import type { IncomingMessage } from "node:http";

/** Number of checks for late headers per timeout. */
const LOOKS_PER_TIMEOUT = 10;

/** Returns timeouts for headers only, because a large insert may take longer. */
export const serverTimeouts = (clientTimeoutMs: number) => ({
  headersTimeout: clientTimeoutMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.ceil(clientTimeoutMs / LOOKS_PER_TIMEOUT),
});

/** Ends a request whose body stalls for `timeoutMs` to 2 × `timeoutMs`. */
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
