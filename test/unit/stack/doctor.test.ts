import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { renderFindings } from "../../../pipeline/stack/doctor/doctor.ts";
import { memory } from "../../../pipeline/stack/doctor/engine.ts";
import { processor } from "../../../pipeline/stack/doctor/machine.ts";
import { isFree } from "../../../pipeline/stack/doctor/ports.ts";

describe("the doctor", () => {
  test("compares the sum of limits with what the engine has", () => {
    expect(memory(4096, 4096).status).toBe("ok");
    expect(memory(6000, 4096)).toMatchObject({
      status: "fail",
      detail: "limits add up to 6,000 MiB, the engine has 4,096 MiB",
    });
  });

  test("names what the processor lacks", () => {
    expect(processor(new Set(["sse4_2", "pclmulqdq", "popcnt", "ssse3"])).status).toBe("ok");
    expect(processor(new Set(["popcnt", "ssse3"])).detail).toBe("lacks sse4_2, pclmulqdq");
  });

  test("knows a taken port from a free one", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      });
    });
    expect(await isFree({ bind: "127.0.0.1", host: port })).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isFree({ bind: "127.0.0.1", host: port })).toBe(true);
  });

  test("ends every complaint with its cure", () => {
    const text = renderFindings([
      { check: "docker", status: "ok", detail: "engine 28.0" },
      { check: "memory", status: "fail", detail: "too little", cure: "buy some" },
    ]);
    expect(text).toBe(
      "ok    docker      engine 28.0\nFAIL  memory      too little\n        cure: buy some",
    );
  });
});
