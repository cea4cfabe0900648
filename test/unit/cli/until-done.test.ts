import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { waitUntilDone } from "../../../generator/client/http-client.ts";

type Answer = { kind: string; step?: string; reason: string; hint?: string } | "silence";

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => server?.close(() => resolve()) ?? resolve()));

/** A generator that tells one state after another, and stays with the last. */
async function telling(...answers: readonly Answer[]): Promise<{ url: string; token: undefined }> {
  let turn = 0;
  server = createServer((_, response) => {
    const state = answers[Math.min(turn++, answers.length - 1)];
    if (state === "silence") return response.destroy();
    return response.end(JSON.stringify({ instance: "dev", state, progress: null, model: null }));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, token: undefined };
}

const waiting = { withinSeconds: 5, onStatus: () => {}, pollMs: 1, silenceMs: 1_000 };
const running = { kind: "running", step: "backfill", reason: "" };

describe("waiting for the generator", () => {
  test.each<[string, Answer]>([
    ["finished", { kind: "finished", reason: "backfill done" }],
    ["live", { kind: "running", step: "live", reason: "" }],
  ])("ends when it is %s", async (_, last) => {
    const address = await telling({ kind: "starting", reason: "" }, running, last);
    expect((await waitUntilDone(address, waiting)).state).toEqual(last);
  });

  test.each<[string, Answer, RegExp, string]>([
    ["paused", { kind: "paused", reason: "asked to" }, /it is paused: asked to/, "resume"],
    ["standby", { kind: "standby", reason: "switched off" }, /it is standby/, "repeat the request"],
    ["failed", { kind: "failed", reason: "lost", hint: "fix" }, /^lost$/, "fix"],
    ["refused", { kind: "refused", reason: "unclean", hint: "clean" }, /^unclean$/, "clean"],
  ])("does not take %s for done", async (_, last, message, next) => {
    const address = await telling(running, last);
    await expect(waitUntilDone(address, waiting)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringContaining(next),
    });
  });

  test.each(["paused", "standby", "running"])(
    "ends when it is %s if that is accepted",
    async (kind) => {
      const address = await telling({ kind: "starting", reason: "" }, { kind, reason: "asked to" });
      const found = await waitUntilDone(address, { ...waiting, accepts: [kind] });
      expect(found.state.kind).toBe(kind);
    },
  );

  test("outlives a restart, and not a generator that is gone", async () => {
    const back = await telling(running, "silence", "silence", { kind: "finished", reason: "" });
    expect((await waitUntilDone(back, waiting)).state.kind).toBe("finished");
    server?.close();
    const gone = await telling(running, "silence");
    await expect(waitUntilDone(gone, waiting)).rejects.toThrow(/does not answer/);
  });
});
