import type { EmbeddedEngine } from "../engine.ts";
import { Connection } from "./connection.ts";
import { exception, type ServerException } from "./errors.ts";
import type { SessionRequest } from "./parameters.ts";

interface Held {
  readonly connection: Connection;
  busy: boolean;
  expiry: NodeJS.Timeout | undefined;
}

export interface Lease {
  readonly connection: Connection;
  /** Releases the session; `busy` ends it, because the connection is still in use. */
  release(options?: { readonly busy: boolean }): void;
}

export class Sessions {
  readonly #engine: EmbeddedEngine;
  readonly #limit: number;
  readonly #held = new Map<string, Held>();

  constructor(engine: EmbeddedEngine, limit: number) {
    this.#engine = engine;
    this.#limit = limit;
  }

  /** Leases the connection of a session. Throws for a missing or busy session, or at the limit. */
  lease(request: SessionRequest | undefined): Lease {
    if (request === undefined) {
      const connection = new Connection(this.#engine);
      return { connection, release: () => connection.close() };
    }
    const held = this.#find(request);
    held.busy = true;
    clearTimeout(held.expiry);
    return {
      connection: held.connection,
      release: ({ busy } = { busy: false }) => this.#release(request, held, busy),
    };
  }

  close(): void {
    for (const [id, held] of this.#held) this.#end(id, held);
  }

  #find({ id, check }: SessionRequest): Held {
    const known = this.#held.get(id);
    if (known?.busy) {
      throw exception("SESSION_IS_LOCKED", `Session ${id} is locked by a concurrent client`);
    }
    if (known) return known;
    if (check) throw exception("SESSION_NOT_FOUND", `Session ${id} not found`);
    if (this.#held.size >= this.#limit) throw this.#tooMany();
    const held = { connection: new Connection(this.#engine), busy: false, expiry: undefined };
    this.#held.set(id, held);
    return held;
  }

  #tooMany(): ServerException {
    return exception(
      "USER_SESSION_LIMIT_EXCEEDED",
      `User default has ${this.#limit} sessions, the maximum. ` +
        "hint: end a session with close_session=1, or set a shorter session_timeout",
    );
  }

  #release({ id, timeoutSeconds, close }: SessionRequest, held: Held, busy: boolean): void {
    held.busy = false;
    const seconds = close || busy ? 0 : timeoutSeconds;
    if (seconds === 0) this.#end(id, held);
    else held.expiry = setTimeout(() => this.#end(id, held), seconds * 1000).unref();
  }

  #end(id: string, held: Held): void {
    clearTimeout(held.expiry);
    this.#held.delete(id);
    held.connection.close();
  }
}
