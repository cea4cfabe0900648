import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** An HTTP service with fixed answers. */
export class FakeHttp {
  readonly url: string;
  readonly seen: Seen[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(
    answer: (path: string) => { readonly status?: number; readonly body: unknown },
  ): Promise<FakeHttp> {
    const server = createServer((request, response) => {
      const path = request.url ?? "";
      const { authorization } = request.headers;
      fake.seen.push({ method: request.method ?? "", path, authorization });
      const { status = 200, body } = answer(path);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const fake = new FakeHttp(server);
    return fake;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
