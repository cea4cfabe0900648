import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkKafka, checkPage } from "../../../stack/answers.ts";

let server: Server | HttpServer | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

/** Starts a server. @returns its port */
async function listen(started: Server | HttpServer): Promise<number> {
  server = started.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Starts a server that answers the first bytes of each connection. */
const answering = (reply: (request: Buffer, socket: Socket) => void): Promise<number> =>
  listen(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (request) => reply(request, socket));
    }),
  );

const statuses = (byPath: Readonly<Record<string, number>>): Promise<number> =>
  listen(
    createHttpServer(({ url = "" }, response) => {
      const status = byPath[url] ?? 404;
      response.writeHead(status, status === 302 ? { location: "/login" } : {}).end("text");
    }),
  );

const page = (port: number) => checkPage(`http://127.0.0.1:${port}`);
const kafka = (port: number) => checkKafka("127.0.0.1", port);

test.each([200, 404, 500])("a page answers with a success after a redirect: %d", async (status) => {
  const port = await statuses({ "/": 302, "/login": status });
  expect(await page(port)).toBe(status === 200 ? undefined : `HTTP status ${status}`);
});

test("a port that closes each connection, as the engine's proxy does, does not answer", async () => {
  const port = await answering((_, socket) => socket.destroy());
  expect(await page(port)).toBe("the connection was closed without an answer");
});

test("Kafka answers with the request's correlation id, and nothing else is Kafka", async () => {
  const port = await answering((request, socket) => {
    expect(request.readInt32BE(0)).toBe(request.length - 4);
    expect(request.readInt16BE(4)).toBe(18);
    const reply = Buffer.alloc(14);
    reply.writeInt32BE(10, 0);
    request.copy(reply, 4, 8, 12);
    socket.write(reply);
  });
  expect(await kafka(port)).toBeUndefined();
  expect(await kafka(1)).toBe("nothing listens there");
  server?.close();
  expect(await kafka(await statuses({}))).toBe("another protocol answers");
});
