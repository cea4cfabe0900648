import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

const ON_CLUSTER = / ON CLUSTER '[^']*'/;
const WRITE = /^(?:\s|--.*\n)*(?:INSERT|TRUNCATE|DELETE|ALTER)\b/;

export interface QueueOptions {
  /** Keeps `Replicated` engines, which cannot store rows in this engine. */
  readonly isReplicated: boolean;
}

interface Query {
  readonly path: string;
  readonly statement: string;
  readonly body: Buffer;
  readonly headers: IncomingMessage["headers"];
}

/**
 * Simulates what the engine lacks without its interserver port: the queue of distributed DDL, which
 * every replica executes in one order, and the replication of rows: every replica also executes each
 * write.
 */
export class DdlQueue implements AsyncDisposable {
  readonly #replicas: readonly string[];
  readonly #options: QueueOptions;
  readonly #fronts: Server[];
  #last: Promise<unknown> = Promise.resolve();
  #turn = 0;

  private constructor(replicas: readonly string[], options: QueueOptions) {
    this.#replicas = replicas;
    this.#options = options;
    const balancer = () => replicas[this.#turn++ % replicas.length] ?? "";
    this.#fronts = [...replicas.map((url) => () => url), balancer].map((choose) =>
      createServer((received, response) => {
        queryOf(received)
          .then((query) => this.#answer(choose(), query))
          .then(
            ({ status, headers, body }) => {
              const kept = Object.entries(headers).filter(([name]) => name.startsWith("x-click"));
              response.writeHead(status, Object.fromEntries(kept)).end(body);
            },
            (error: Error) => response.writeHead(500).end(error.message),
          );
      }).listen(0, "127.0.0.1"),
    );
  }

  static async open(replicas: readonly string[], options: QueueOptions): Promise<DdlQueue> {
    const queue = new DdlQueue(replicas, options);
    const fronts = queue.#fronts.map(
      (front) => new Promise((done) => front.once("listening", done)),
    );
    await Promise.all(fronts);
    return queue;
  }

  /** Addresses of the replicas for clients; the last one leads to another replica each time. */
  get urls(): string[] {
    return this.#fronts.map((front) => `http://127.0.0.1:${(front.address() as AddressInfo).port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const front of this.#fronts) {
      front.closeAllConnections();
      await new Promise((done) => front.close(done));
    }
  }

  async #answer(url: string, query: Query): Promise<Answer> {
    const isDefinition = ON_CLUSTER.test(query.statement);
    if (!isDefinition && !WRITE.test(query.statement)) return send(url, query);
    // A statement of a dropped database is refused before it is queued.
    const isAccepted = await send(url, { ...query, path: freeOf(query.path, "query"), body: ONE });
    if (isAccepted.status !== OK) return isAccepted;
    const next = this.#last.then(() => this.#everywhere(query, isDefinition));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #everywhere(query: Query, isDefinition: boolean): Promise<Answer> {
    // A replica executes a queued definition outside the initiator's database.
    const local = isDefinition
      ? { ...query, path: freeOf(query.path, "database"), body: this.#ofOneReplica(query) }
      : { ...query, body: atOneTime(query) };
    const answers = [];
    for (const url of this.#replicas) answers.push(await send(url, local));
    return answers.find(({ status }) => status !== OK) ?? (answers[0] as Answer);
  }

  #ofOneReplica({ statement }: Query): Buffer {
    if (statement.startsWith("SYSTEM SYNC")) return ONE;
    const { isReplicated } = this.#options;
    const isTable = /\bCREATE TABLE\b(?!.* UUID)/.test(statement) && isReplicated;
    const local = statement.replace(ON_CLUSTER, isTable ? ` UUID '${randomUUID()}'` : "");
    return Buffer.from(isReplicated ? local : local.replace(/^ENGINE = Replicated/m, "ENGINE = "));
  }
}

const OK = 200;
const ONE = Buffer.from("SELECT 1");

/** Replaces the clock in a write: replication copies the row of one replica, and so its time. */
function atOneTime({ statement, body }: Query): Buffer {
  if (!body.equals(Buffer.from(statement))) return body;
  const now = new Date().toISOString().replace("T", " ").replace("Z", "");
  return Buffer.from(statement.replace(/\bnow64\((\d)\)/g, `toDateTime64('${now}', $1)`));
}

const freeOf = (path: string, parameter: string): string => {
  const url = new URL(path, "http://any");
  for (const name of [parameter, "query_id"]) url.searchParams.delete(name);
  return `${url.pathname}${url.search}`;
};

async function queryOf(received: IncomingMessage): Promise<Query> {
  const path = received.url ?? "/";
  const body = await buffer(received);
  const statement = new URL(path, "http://any").searchParams.get("query") ?? body.toString();
  return { path, statement, body, headers: received.headers };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends over a new connection: the server closes those that have waited. */
async function send(url: string, { path, body, headers }: Query): Promise<Answer> {
  const { authorization = "", "content-type": type = "text/plain" } = headers;
  const sent = request(url + path, {
    method: "POST",
    agent: false,
    headers: { authorization, "content-type": type, "content-length": body.length },
  }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return {
    status: response.statusCode ?? 500,
    headers: response.headers,
    body: await buffer(response),
  };
}
