import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UserError } from "../../contract/errors.ts";

export interface Address {
  readonly host: string;
  /** Port; undefined for `preferred`, or any free port if that is in use. */
  readonly port: number | undefined;
  readonly preferred: number;
}

/** Listens and returns the port. @throws UserError if the address is not available */
export async function listen(server: Server, address: Address): Promise<number> {
  const { host, port, preferred } = address;
  try {
    return await bind(server, host, port ?? preferred);
  } catch (error) {
    if (port === undefined && codeOf(error) === "EADDRINUSE") return bind(server, host, 0);
    throw refused(error, host, port ?? preferred);
  }
}

async function bind(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function refused(error: unknown, host: string, port: number): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program`,
    EACCES: `Port ${port} on ${host} is not permitted for this account`,
    EADDRNOTAVAIL: `Address ${host} does not belong to this machine`,
    ENOTFOUND: `Address ${host} cannot be resolved`,
  };
  const reason = reasons[codeOf(error) ?? ""];
  if (reason === undefined) return error instanceof Error ? error : new Error(String(error));
  return new UserError(reason, "choose another address with --host ADDRESS --port PORT");
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined;
