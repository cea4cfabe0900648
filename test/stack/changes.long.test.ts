import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stackNames } from "../../components/shared/names.ts";
import { shellBlocks } from "../support/page-blocks.ts";
import {
  anonymousVolumes,
  configure,
  HTTP_PORT,
  LIGHT,
  OTHER,
  remaining,
  STACK,
  succeed,
} from "./light-stack.ts";
import "./leftovers.ts";
import {
  belongings,
  count,
  docker,
  login,
  ROOT,
  readSecrets,
  readText,
  runPageBlock,
  services,
  writeFile,
} from "./operator.ts";

const BROKER_PORT = 29_092;

/** Each test starts from the state that the previous one left. */
describe("a stack that changes and is disturbed", () => {
  test("comes up and loads data", () => {
    writeFile("Pulumi.dev.yaml", readText(LIGHT));
    succeed(STACK, "up", "--config", "dev");
    succeed(STACK, "run", "data", "--limit", "500");
    succeed(STACK, "run", "transform");
  });

  test("loads a dataset of the user", async () => {
    const page = "docs/how-to/load-your-own-clickstream.md";
    const files = join(ROOT, "my-files");
    const written = shellBlocks(page, "here").find(({ code }) => code.includes("my-files"));
    const code = written?.code.replaceAll("/tmp/my-files", files) ?? "exit 1";
    expect(spawnSync("sh", ["-e", "-c", code]).status).toBe(0);
    const before = await count(STACK, "dds.event", HTTP_PORT);
    runPageBlock(STACK, page, 0, { "/tmp/my-files": files });
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBe(before + 2);
  });

  test("applies a secret that plain pulumi replaces, in every service", async () => {
    const previous = readSecrets(STACK);
    const broker = services(STACK).kafka;
    runPageBlock(STACK, "docs/how-to/rotate-secrets.md", 0, {
      "'**::NAME'": "'**::clickhouse-password' --replace '**::generator-control-token'",
    });
    const { clickhousePassword = "", controlToken } = readSecrets(STACK);
    expect(clickhousePassword).not.toBe(previous.clickhousePassword);
    expect(controlToken).not.toBe(previous.controlToken);
    expect(await login("default", clickhousePassword, HTTP_PORT)).toBe(200);
    expect(await login("default", previous.clickhousePassword ?? "", HTTP_PORT)).toBe(403);
    succeed(STACK, "run", "--", "generator", "status");
    expect(services(STACK).kafka).toBe(broker);
  });

  test("re-creates the generator alone on request", () => {
    const { generator, ...others } = services(STACK);
    succeed(STACK, "generator", "restart");
    const after = services(STACK);
    expect(after.generator).toBeDefined();
    expect(after.generator).not.toBe(generator);
    expect(after).toMatchObject(others);
  });

  test("re-creates a removed network", () => {
    const network = stackNames(STACK).network;
    const before = anonymousVolumes();
    for (const id of Object.values(services(STACK))) {
      docker("network", "disconnect", "--force", network, id);
    }
    docker("network", "rm", network);
    succeed(STACK, "up");
    expect(remaining(before)).toEqual([]);
    expect(docker("network", "ls", "--quiet", "--filter", `name=^${network}$`)).not.toBe("");
    expect(Object.keys(services(STACK)).sort()).toEqual(["clickhouse", "generator", "kafka"]);
  });

  test("serves another stack as its external broker and database", () => {
    const page = "docs/how-to/use-your-own-kafka-or-clickhouse.md";
    runPageBlock(OTHER, page, 0, { mine: OTHER });
    configure(OTHER, {
      generator: { deploy: false },
      kafka: {
        mode: "external",
        bootstrap: "kafka:29092",
        hostBootstrap: `localhost:${BROKER_PORT}`,
        security: { tls: false },
      },
      clickhouse: { mode: "external", url: `http://127.0.0.1:${HTTP_PORT}` },
    });
    runPageBlock(OTHER, page, 1, {
      mine: OTHER,
      kafkaPassword: "kafkaPassword unused",
      clickhousePassword: `clickhousePassword ${readSecrets(STACK).clickhousePassword}`,
    });
    const text = runPageBlock(OTHER, page, 2, { mine: OTHER });
    expect(text).toContain(`http://127.0.0.1:${HTTP_PORT}`);
    expect(services(OTHER)).toEqual({});
    succeed(OTHER, "clean");
    rmSync(join(ROOT, `Pulumi.${OTHER}.yaml`), { force: true });
  });

  test("runs beside another stack that shares nothing with it", () => {
    const before = services(STACK);
    const page = "docs/how-to/run-a-second-stack.md";
    runPageBlock(OTHER, page, 0, {
      "OFFSET=1000": "OFFSET=21000",
      // The light configuration writes no history.
      "make prove": "make data STACK=second\nmake transform STACK=second\nmake prove",
      second: OTHER,
    });
    expect(Object.keys(services(OTHER)).sort()).toEqual(["clickhouse", "generator", "kafka"]);
    runPageBlock(OTHER, page, 1, { second: OTHER });
    expect(belongings(OTHER)).toEqual([]);
    expect(services(STACK)).toEqual(before);
  });

  test("passes make doctor", () => {
    runPageBlock(STACK, "docs/how-to/recover/README.md", 0, {
      // `make logs` follows the log until it is interrupted.
      "make logs SERVICE=clickhouse": "timeout 15 make logs SERVICE=clickhouse || [ $? = 124 ]",
    });
  });
});
