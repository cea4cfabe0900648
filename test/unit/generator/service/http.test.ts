import { NetworkError } from "@platformatic/kafka";
import { afterEach, describe, expect, it } from "vitest";
import { UserError } from "../../../../contract/errors.ts";
import type { ControlledService } from "../../../../generator/service/control.ts";
import { serveHttp } from "../../../../generator/service/http.ts";
import type { HttpEndpoint } from "../../../../generator/service/listen.ts";
import { Conflict } from "../../../../generator/service/state.ts";
import { BrokerError } from "../../../../kafka/errors.ts";

const TOKEN = "a-token-for-tests-only";
const AUTHORISED = { authorization: `Bearer ${TOKEN}` };
const ASKED = { method: "POST", body: '{"operation":"live"}', headers: AUTHORISED };

describe("the endpoint", () => {
  let endpoint: HttpEndpoint | undefined;
  let reported: unknown[] = [];
  afterEach(async () => {
    await endpoint?.close();
    reported = [];
  });

  /** Response to a request for which the generator throws `error`. */
  async function ask(error: unknown, path = "/control", init: RequestInit = ASKED) {
    const fail = () => Promise.reject(error);
    const service: ControlledService = {
      state: { kind: "standby", reason: "" },
      ...{ pause: fail, resume: fail, consider: fail, start: fail },
    };
    endpoint = await serveHttp({
      host: "127.0.0.1",
      port: 0,
      token: TOKEN,
      service,
      metrics: fail,
      metricsType: "text/plain",
      status: () => ({}),
      health: () => ({ ok: true, reason: "" }),
      onUnforeseen: (failure) => reported.push(failure),
    });
    const response = await fetch(`http://127.0.0.1:${endpoint.port}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it("answers 503 with the next step if the broker fails", async () => {
    const failure = new BrokerError("Kafka at a:1 failed: gone", "make doctor");
    expect(await ask(failure)).toEqual({
      status: 503,
      body: { error: "Kafka at a:1 failed: gone", hint: "make doctor" },
    });
    expect(reported).toEqual([]);
  });

  it.each([
    [409, new Conflict("live is running", "pause it first")],
    [422, new UserError("GEN_SEED= is not valid", "set it")],
  ])("answers %i with reason and hint", async (status, error) => {
    const { message, hint } = error;
    expect(await ask(error)).toEqual({ status, body: { error: message, hint } });
  });

  it.each([
    [404, "/nothing", {}],
    [405, "/status", { method: "POST" }],
    [405, "/control", {}],
    [401, "/control", { method: "POST" }],
    [413, "/control", { method: "POST", body: "x".repeat(20_000), headers: AUTHORISED }],
    [400, "/control", { method: "POST", body: "stop!", headers: AUTHORISED }],
  ])("answers %i at %s with the allowed requests", async (status, path, init) => {
    const reply = await ask(null, path, init);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({
      error: expect.stringMatching(/\S/),
      hint: expect.stringMatching(/POST \/control|Bearer|JSON like/),
    });
  });

  it.each(["/control", "/metrics"])(
    "%s: logs an unexpected error and answers with a hint",
    async (path) => {
      const error = new NetworkError("socket");
      const { status, body } = await ask(error, path, path === "/control" ? ASKED : {});
      expect(status).toBe(500);
      expect(body.error).toMatch(/socket/);
      expect(body.hint).toMatch(/make generator-logs/);
      expect(reported).toEqual([error]);
    },
  );
});
