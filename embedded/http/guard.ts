import type { IncomingMessage } from "node:http";
import { exception, type ServerException } from "./errors.ts";
import { filterSettingRefused } from "./filter-settings.ts";
import { isHarmless, type Statement } from "./statement.ts";

/** Returns an error for a request of another site. Only browsers send an origin. */
export function crossSiteError(
  request: IncomingMessage,
  path: string,
): ServerException | undefined {
  const { origin, host = "", "sec-fetch-site": site } = request.headers;
  const ownSite = site === undefined || site === "same-origin" || site === "none";
  const ownOrigin = origin === undefined || [`http://${host}`, `https://${host}`].includes(origin);
  if (ownSite && ownOrigin) return undefined;
  const sender = origin === undefined ? `Sec-Fetch-Site '${site}'` : `Origin '${origin}'`;
  return exception(
    "ACCESS_DENIED",
    `Requests from ${sender} are not allowed. Allowed: this address. hint: open http://${host}${path}`,
  );
}

export function refuseNavigation(request: IncomingMessage, { keyword }: Statement): void {
  if (request.headers["sec-fetch-mode"] !== "navigate") return;
  if (request.method === "GET" && (keyword === "SELECT" || keyword === "WITH")) return;
  throw exception(
    "ACCESS_DENIED",
    `A browser may open only SELECT statements as an address, not ${keyword}. hint: run the statement on /play`,
  );
}

/** Refuses external sources except by POST, because links and proxies can repeat other methods. */
export function refuseExternalSource(request: IncomingMessage, statement: Statement): void {
  if (request.method === "POST") return;
  if (!isHarmless(statement)) throw getOnlyReads(statement);
  if (statement.filterSetting !== undefined) throw filterSettingRefused(statement.filterSetting);
  if (statement.externalSource === undefined) return;
  throw exception(
    "READONLY",
    `GET is read-only: table function '${statement.externalSource}' is not allowed. ` +
      "hint: send the statement by POST",
  );
}

const getOnlyReads = ({ keyword }: Statement) => {
  const what = keyword === "PARALLEL" ? "PARALLEL WITH" : keyword;
  return exception(
    "READONLY",
    `GET is read-only: ${what} is not allowed. hint: send the statement by POST`,
  );
};

export const readonly = () =>
  exception("READONLY", "default: Cannot execute query in readonly mode");

/** Returns an error for another host name: without a password, DNS rebinding would be possible. */
export function hostError(request: IncomingMessage, password: string): ServerException | undefined {
  const host = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  if (password !== "" || host === "" || isLoopback(host)) return undefined;
  return exception(
    "ACCESS_DENIED",
    `Without a password, the host name must be localhost, not '${host}'. ` +
      "hint: set a password to use other host names",
  );
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
