import { describe, expect, it } from "vitest";
import { readStatus, sendControl } from "../../../generator/client/http-client.ts";
import { serveHttp } from "../../support/http.ts";

describe("the client of the generator", () => {
  const answering = (status: number, text: string) =>
    serveHttp((_, response) => response.writeHead(status).end(text));

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
