import type { IncomingMessage } from "node:http";
import { exception, type ServerException } from "./errors.ts";
import { filterSettingRefused } from "./filter-settings.ts";
import { isHarmless, type Statement } from "./statement.ts";

/** `path` may be opened by a page of another site. Only browsers send an origin. */
export function otherSite(request: IncomingMessage, path: string): ServerException | undefined {
  const { origin, host = "", "sec-fetch-site": site } = request.headers;
  const ownSite = site === undefined || site === "same-origin" || site === "none";
  const ownOrigin = origin === undefined || [`http://${host}`, `https://${host}`].includes(origin);
  if (ownSite && ownOrigin) return undefined;
  const sender = origin === undefined ? `Sec-Fetch-Site '${site}'` : `Origin '${origin}'`;
  return exception(
    "ACCESS_DENIED",
    `${sender} is not allowed; only this address is. hint: open http://${host}${path}`,
  );
}

export function refuseNavigation(request: IncomingMessage, { keyword }: Statement): void {
  if (request.headers["sec-fetch-mode"] !== "navigate") return;
  if (request.method === "GET" && (keyword === "SELECT" || keyword === "WITH")) return;
  throw exception(
    "ACCESS_DENIED",
    `A browser's address may hold a SELECT only, not ${keyword}. hint: run it on /play`,
  );
}

/** Only POST, because links and proxies can repeat other methods. */
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

/** Without a password, DNS rebinding would let any page pass as the same site. */
export function foreignHost(
  request: IncomingMessage,
  password: string,
): ServerException | undefined {
  const host = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  if (password !== "" || host === "" || isLoopback(host)) return undefined;
  return exception(
    "ACCESS_DENIED",
    `Without a password this interface answers to localhost only, not to '${host}'. ` +
      "hint: set a password to use other names",
  );
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
