import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface Ports {
  readonly http: number;
  readonly tcp: number;
}

/**
 * What the launcher's engine and the engine's clients ask of the launcher: the engine calls `login`
 * for its session, then `ready` with its ports, then waits at `end`; each client waits at `hold`.
 */
export interface Control {
  /** Address with a secret path. */
  readonly url: string;
  /** Resolves when the launcher's session has begun. */
  readonly loggedIn: Promise<void>;
  /** Ports of the engine, once it listens. */
  readonly ports: Promise<Ports>;
  readonly hasClients: () => boolean;
  /** Refuses new clients and lets the engine's session end. */
  readonly end: () => void;
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

interface Answers {
  /** Called when the last client has gone. */
  readonly onIdle?: () => void;
  /** Whether a user whose password the launcher checks may log in; default: no. */
  readonly admits?: (login: Login) => Promise<boolean>;
}

type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function startControl({ onIdle, admits }: Answers): Promise<Control> {
  const secret = randomBytes(16).toString("hex");
  const ports = Promise.withResolvers<Ports>();
  const session = Promise.withResolvers<ServerResponse>();
  const clients = new Set<ServerResponse>();
  const loggedIn = Promise.withResolvers<void>();
  let hasLoggedIn = false;
  let isEnding = false;
  const routes: Readonly<Record<string, Route>> = {
    // Only the session of the launcher, which is the first, may use an empty password.
    login: async (request, response) => {
      const isAdmitted = !hasLoggedIn || (await admits?.(loginOf(request)));
      hasLoggedIn = true;
      response.writeHead(isAdmitted ? 200 : 401).end(NO_SETTINGS);
      loggedIn.resolve();
    },
    ready: async (request, response) => {
      ports.resolve((await json(request)) as Ports);
      response.end();
    },
    end: (_, response) => {
      response.flushHeaders();
      session.resolve(response);
    },
    // A client holds the engine until its request ends or breaks; the last answer ends with this process.
    hold: (request, response) => {
      if (isEnding) return response.writeHead(503).end();
      clients.add(response);
      response.flushHeaders();
      request.resume().once("close", () => {
        clients.delete(response);
        if (clients.size === 0) onIdle?.();
        else response.end();
      });
      return undefined;
    },
  };
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const [, given, name = ""] = request.url?.split("/") ?? [];
    const route = given === secret ? routes[name] : undefined;
    if (route) route(request, response);
    else response.writeHead(404).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`,
    loggedIn: loggedIn.promise,
    ports: ports.promise,
    hasClients: () => clients.size > 0,
    end: () => {
      isEnding = true;
      void session.promise.then((response) => response.end());
    },
  };
}

/** Settings of the user's session, without which the engine logs each login. */
const NO_SETTINGS = JSON.stringify({ settings: {} });

/** Reads the credentials of the scheme `basic`. */
function loginOf({ headers }: IncomingMessage): Login {
  const [, encoded = ""] = headers.authorization?.split(" ") ?? [];
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
