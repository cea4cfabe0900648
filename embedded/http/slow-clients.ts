import type { IncomingMessage } from "node:http";

/** How often, per allowed time, the server looks for connections whose headers are late. */
const LOOKS_PER_TIMEOUT = 10;

/** Limits for a server: headers must arrive in time, the whole of a large insert need not. */
export const serverTimeouts = (clientTimeoutMs: number) => ({
  headersTimeout: clientTimeoutMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.ceil(clientTimeoutMs / LOOKS_PER_TIMEOUT),
});

/**
 * Ends a request whose body does not go on for `timeoutMs`, up to twice that. Bytes that wait for
 * this program are not the client's fault.
 */
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
