import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readStatus, sendControl } from "../../../generator/client/http-client.ts";

describe("the client of the generator", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** A server that gives this answer to every request. */
  async function answering(status: number, text: string): Promise<string> {
    server = createServer((_, response) => response.writeHead(status).end(text)).listen(0);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("reports the generator's own error and hint", async () => {
    const url = await answering(503, '{"error":"Kafka at a:1 failed","hint":"make doctor"}');
    await expect(sendControl({ url, token: "t" }, {})).rejects.toMatchObject({
      name: "UserError",
      message: "The generator refused the request (503): Kafka at a:1 failed",
      hint: "make doctor",
    });
  });

  it.each([
    ["somebody else", () => answering(200, "<html>")],
    ["nobody", async () => "http://127.0.0.1:1"],
  ])("%s at the address is not a generator: explains where to find it", async (_, open) => {
    const url = await open();
    await expect(readStatus({ url, token: undefined })).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(/^The generator at http:.* does not answer: \S/),
      hint: expect.stringMatching(/GENERATOR_URL/),
    });
  });
});
