import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { exception, type ServerException } from "./errors.ts";

const USER = "default";

interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Passwords of other users by name: plain text, or `sha256:` and the hash. */
export type Users = Readonly<Record<string, string>>;

export interface Access {
  readonly password: string;
  readonly users: Users;
}

/** Checks the credentials. Without a password, only an empty one is right. @throws ServerException */
export function authenticate(
  request: IncomingMessage,
  url: URLSearchParams,
  password: string,
  users: Users = {},
): void {
  const { user, password: given } = credentials(request, url);
  if (user === USER && matches(given, password)) return;
  const other = Object.hasOwn(users, user) ? users[user] : undefined;
  if (other && matches(given, other)) return;
  throw failed(
    `${user}: Authentication failed: password is incorrect, or there is no user with such name`,
  );
}

function credentials(request: IncomingMessage, url: URLSearchParams): Credentials {
  const user = single(request.headers["x-clickhouse-user"]);
  const key = single(request.headers["x-clickhouse-key"]);
  const authorization = request.headers.authorization ?? "";
  const inUrl = url.has("user") || url.has("password");
  if (user || key) {
    if (!user) throw failed("Got an empty user name from X-ClickHouse HTTP headers");
    if (authorization) throw mixed("X-ClickHouse HTTP headers", "Authorization HTTP header");
    if (inUrl) throw mixed("X-ClickHouse HTTP headers", "authentication via parameters");
    return { user, password: key };
  }
  if (authorization) {
    if (inUrl) throw mixed("Authorization HTTP header", "authentication via parameters");
    return basic(authorization);
  }
  return { user: url.get("user") ?? USER, password: url.get("password") ?? "" };
}

function basic(authorization: string): Credentials {
  const [scheme = "", encoded = ""] = authorization.split(/\s+/, 2);
  if (scheme.toLowerCase() !== "basic") {
    throw failed(`Invalid authentication: '${scheme}' HTTP Authorization scheme is not supported`);
  }
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const user = colon < 0 ? text : text.slice(0, colon);
  if (user === "") throw failed("Got an empty user name from Authorization HTTP header");
  return { user, password: colon < 0 ? "" : text.slice(colon + 1) };
}

const HASHED = /^sha256:([0-9a-f]{64})$/;

/** Compares passwords in constant time, by digests of equal length. */
function matches(given: string, password: string): boolean {
  const hash = HASHED.exec(password)?.[1];
  return timingSafeEqual(digest(given), hash ? Buffer.from(hash, "hex") : digest(password));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const single = (value: string | string[] | undefined): string =>
  (Array.isArray(value) ? value[0] : value) ?? "";

const failed = (message: string): ServerException => exception("AUTHENTICATION_FAILED", message);

const mixed = (one: string, other: string): ServerException =>
  failed(`Invalid authentication: it is not allowed to use ${one} and ${other} simultaneously`);
