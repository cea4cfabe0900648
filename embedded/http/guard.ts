import type { IncomingMessage } from "node:http";
import { exception } from "./errors.ts";

/**
 * A web page of another site may not run queries through its visitor's browser. Browsers say
 * where a request comes from; clients other than browsers send no such header.
 */
export function refuseOtherSites(request: IncomingMessage): void {
  const site = request.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  throw exception(
    "ACCESS_DENIED",
    "Queries sent by pages of other sites are refused. Open /play on this address instead",
  );
}

/**
 * Without a password, only names of this machine may address it: a foreign name that resolves to
 * 127.0.0.1 would let any page pass as the same site.
 */
export function refuseForeignHost(request: IncomingMessage, password: string): void {
  const host = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  if (password !== "" || host === "" || isLoopback(host)) return;
  throw exception(
    "ACCESS_DENIED",
    `Without a password this interface answers to localhost only, not to '${host}'. ` +
      "Set a password to use other names",
  );
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
