import { afterEach, expect, test, vi } from "vitest";
import { resumeUnlessDeleted } from "../../../warehouse/epochs/pause-generator.ts";
import { serveHttp } from "../../support/http.ts";

afterEach(() => void vi.restoreAllMocks());

/** A generator that answers each request with a status, and records the requests. */
async function fakeGenerator(status = 200) {
  const asked: string[] = [];
  const url = await serveHttp(async (request, response) => {
    for await (const chunk of request) asked.push(String(chunk));
    response.writeHead(status).end(JSON.stringify({ error: "no" }));
  });
  return { asked, paused: { name: "one", address: { url, token: "token" } } };
}

function stderr(): () => string {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  return () => write.mock.calls.map(([line]) => String(line)).join("");
}

const failBefore = () => Promise.reject(new Error("broker away"));

test("resumes the generator after a failure before the first deletion", async () => {
  const { asked, paused } = await fakeGenerator();
  const said = stderr();
  await expect(resumeUnlessDeleted(paused, failBefore)).rejects.toThrow("broker away");
  expect(asked).toEqual(['{"operation":"resume"}']);
  expect(said()).toMatch(/No topic was deleted; the generator one was resumed/);
});

test("prints the command if the generator cannot be resumed", async () => {
  const { paused } = await fakeGenerator(503);
  const said = stderr();
  await expect(resumeUnlessDeleted(paused, failBefore)).rejects.toThrow("broker away");
  expect(said()).toMatch(/one is still paused: .*503.*hint: run \.\/pipeline generator res/s);
});

test("leaves it paused after a failure after the first deletion, and reports that", async () => {
  const { asked, paused } = await fakeGenerator();
  const said = stderr();
  const failing = resumeUnlessDeleted(paused, async (onDelete) => {
    onDelete();
    throw new Error("broker away");
  });
  await expect(failing).rejects.toThrow("broker away");
  expect(asked).toEqual([]);
  expect(said()).toMatch(/one stays paused.*hint: retry/s);
});

test("resumes nothing after success, or if nothing was paused", async () => {
  const { asked, paused } = await fakeGenerator();
  const said = stderr();
  expect(await resumeUnlessDeleted(paused, async () => "done")).toBe("done");
  await expect(resumeUnlessDeleted(null, failBefore)).rejects.toThrow("broker away");
  expect([asked, said()]).toEqual([[], ""]);
});
