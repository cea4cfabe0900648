import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

const ON_CLUSTER = / ON CLUSTER '[^']*'/;

export interface QueueOptions {
  /** Keeps `Replicated` engines, which cannot store rows in this engine. */
  readonly isReplicated: boolean;
}

/**
 * Stands for what the engine lacks without its interserver port: the queue of distributed
 * definitions, which every replica executes in one order, and copies of the rows of stg.lease.
 */
export class DdlQueue implements AsyncDisposable {
  readonly #urls: readonly string[];
  readonly #options: QueueOptions;
  readonly #fronts: Server[];
  #last: Promise<unknown> = Promise.resolve();

  private constructor(urls: readonly string[], options: QueueOptions) {
    this.#urls = urls;
    this.#options = options;
    this.#fronts = urls.map((url) =>
      createServer((request, response) => {
        this.#answer(url, request).then(
          async (answer) => {
            const headers = [...answer.headers].filter(([name]) => name.startsWith("x-clickhouse"));
            response.writeHead(answer.status, Object.fromEntries(headers));
            response.end(Buffer.from(await answer.arrayBuffer()));
          },
          (error: Error) => response.writeHead(500).end(error.message),
        );
      }).listen(0, "127.0.0.1"),
    );
  }

  static async open(urls: readonly string[], options: QueueOptions): Promise<DdlQueue> {
    const queue = new DdlQueue(urls, options);
    const listening = queue.#fronts.map(
      (front) => new Promise((done) => front.once("listening", done)),
    );
    await Promise.all(listening);
    return queue;
  }

  /** Addresses of the replicas for clients. */
  get urls(): string[] {
    return this.#fronts.map((front) => `http://127.0.0.1:${(front.address() as AddressInfo).port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const front of this.#fronts) {
      front.closeAllConnections();
      await new Promise((done) => front.close(done));
    }
  }

  async #answer(url: string, request: IncomingMessage): Promise<Response> {
    const body = (await buffer(request)).toString();
    const path = request.url ?? "/";
    if (!ON_CLUSTER.test(body) && !body.trimStart().startsWith("INSERT INTO stg.lease")) {
      return send(url + path, body, request);
    }
    // A statement of a dropped database is refused before it is queued.
    const isAccepted = await send(url + path.replace(/query_id=[^&]*/, ""), "SELECT 1", request);
    if (!isAccepted.ok) return isAccepted;
    const next = this.#last.then(() => this.#everywhere(path, body, request));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #everywhere(path: string, body: string, request: IncomingMessage): Promise<Response> {
    const statement = this.#ofOneReplica(body);
    // A replica executes a queued definition outside the initiator's database.
    const free = ON_CLUSTER.test(body) ? path.replace(/([?&])database=[^&]*/, "$1") : path;
    const answers = [];
    for (const url of this.#urls) answers.push(await send(url + free, statement, request));
    return answers.find(({ ok }) => !ok) ?? (answers[0] as Response);
  }

  #ofOneReplica(body: string): string {
    const isTable = /\bCREATE TABLE\b/.test(body) && this.#options.isReplicated;
    const local = body.replace(ON_CLUSTER, isTable ? ` UUID '${randomUUID()}'` : "");
    return this.#options.isReplicated ? local : local.replace(/^ENGINE = Replicated/m, "ENGINE = ");
  }
}

function send(url: string, body: string, { headers }: IncomingMessage): Promise<Response> {
  const { authorization = "", "content-type": type = "text/plain" } = headers;
  return fetch(url, { method: "POST", body, headers: { authorization, "content-type": type } });
}
