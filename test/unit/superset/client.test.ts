import { describe, expect, it } from "vitest";
import { refusal, SupersetClient, waitForSuperset } from "../../../superset/import/client.ts";
import { serveHttp } from "../../support/http.ts";

const answering = (status: number, body: string) =>
  serveHttp((_, response) => response.writeHead(status).end(body));

const login = (url: string) => SupersetClient.login({ url, user: "admin", password: "x" });

describe("logging in", () => {
  it("names the refused account, and where its password is", async () => {
    const url = await answering(401, '{"message":"Not authorized"}');
    await expect(login(url)).rejects.toMatchObject({
      message: `Superset at ${url} refuses the account admin: wrong password, or no such account`,
      hint: expect.stringContaining("make urls"),
    });
  });

  it("detects a program that is not Superset", async () => {
    const url = await answering(200, "<html>hello</html>");
    await expect(login(url)).rejects.toThrow(/answer to login was 200: <html>hello/);
  });
});

describe("waiting", () => {
  it("ends with the error and a hint", async () => {
    const url = await answering(503, "");
    await expect(waitForSuperset(url, 0)).rejects.toMatchObject({
      message: `Superset at ${url} did not become healthy in 0 s`,
      hint: expect.stringContaining("make logs SERVICE=superset"),
    });
    await expect(waitForSuperset("http://127.0.0.1:1", 0)).rejects.toThrow(/cannot be reached/);
  });
});

describe("the message of a refusal", () => {
  it("comes from Superset's list of errors, with the details", () => {
    const extra = { "charts/a.yaml": { uuid: ["bad"] }, issue_codes: [{ code: 1010 }] };
    expect(refusal({ errors: [{ message: "Error importing assets", extra }] })).toBe(
      'Error importing assets ({"charts/a.yaml":{"uuid":["bad"]}})',
    );
    expect(refusal({ message: "Fatal error" })).toBe('{"message":"Fatal error"}');
  });
});
