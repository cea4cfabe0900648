import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { planStack } from "../../../components/services.ts";
import { ownBrokerFindings } from "../../../stack/doctor/own-broker.ts";
import { planContext } from "./context.ts";

const findings = (broker: object) =>
  ownBrokerFindings({ stack: "dev", plan: planStack(planContext({ broker })) });

test("the doctor names each address of an external broker that does not answer", async () => {
  const server = createServer((socket) =>
    socket.once("data", (request) =>
      socket.end(Buffer.concat([request.subarray(0, 4), request.subarray(8)])),
    ),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const hostBootstrap = `127.0.0.1:${port},127.0.0.1:1`;
  const found = await findings({ mode: "external", bootstrap: "b.example:9094", hostBootstrap });
  server.close();
  expect(found).toEqual([
    { check: "broker", status: "ok", detail: `127.0.0.1:${port} answers` },
    {
      check: "broker",
      status: "fail",
      detail: "127.0.0.1:1 does not answer as Kafka: nothing listens there",
      hint: expect.stringContaining("broker.bootstrap"),
    },
  ]);
});

test("the doctor checks the broker in a container as a container", async () => {
  expect(await findings({ mode: "container" })).toEqual([]);
});
