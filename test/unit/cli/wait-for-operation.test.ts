import { describe, expect, test } from "vitest";
import { waitForOperation } from "../../../generator/client/http-client.ts";
import { serveHttp } from "../../support/http.ts";

type Answer = { kind: string; step?: string; reason: string; hint?: string } | "silence";

/** A generator that reports these states in order, and repeats the last. */
async function serveStates(
  ...answers: readonly Answer[]
): Promise<{ url: string; token: undefined }> {
  let turn = 0;
  const url = await serveHttp((_, response) => {
    const state = answers[Math.min(turn++, answers.length - 1)];
    if (state === "silence") return response.destroy();
    return response.end(JSON.stringify({ instance: "dev", state, progress: null, model: null }));
  });
  return { url, token: undefined };
}

const waiting = { withinSeconds: 5, onStatus: () => {}, pollMs: 1, silenceMs: 1_000 };
const running = { kind: "running", step: "backfill", reason: "" };

describe("waiting for the generator", () => {
  test.each<[string, Answer]>([
    ["finished", { kind: "finished", reason: "backfill done" }],
    ["live", { kind: "running", step: "live", reason: "" }],
  ])("ends when it is %s", async (_, last) => {
    const address = await serveStates({ kind: "starting", reason: "" }, running, last);
    expect((await waitForOperation(address, waiting)).state).toEqual(last);
  });

  test.each<[string, Answer, RegExp, string]>([
    [
      "paused",
      { kind: "paused", reason: "asked to" },
      /is paused and not done: asked to/,
      "resume",
    ],
    [
      "standby",
      { kind: "standby", reason: "switched off" },
      /is standby and not done/,
      "repeat the request",
    ],
    ["failed", { kind: "failed", reason: "lost", hint: "fix" }, /^lost$/, "fix"],
    ["refused", { kind: "refused", reason: "unclean", hint: "clean" }, /^unclean$/, "clean"],
  ])("does not stop at %s", async (_, last, message, next) => {
    const address = await serveStates(running, last);
    await expect(waitForOperation(address, waiting)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringContaining(next),
    });
  });

  test.each(["paused", "standby", "running"])(
    "ends when it is %s if that is accepted",
    async (kind) => {
      const address = await serveStates(
        { kind: "starting", reason: "" },
        { kind, reason: "asked to" },
      );
      const found = await waitForOperation(address, { ...waiting, accepts: [kind] });
      expect(found.state.kind).toBe(kind);
    },
  );

  test("survives a restart, but not a missing generator", async () => {
    const back = await serveStates(running, "silence", "silence", { kind: "finished", reason: "" });
    expect((await waitForOperation(back, waiting)).state.kind).toBe("finished");
    const gone = await serveStates(running, "silence");
    await expect(waitForOperation(gone, waiting)).rejects.toThrow(/does not answer/);
  });
});
