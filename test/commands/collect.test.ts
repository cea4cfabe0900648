import { join } from "node:path";
import { expect, test } from "vitest";
import { pipeline } from "../support/cli.ts";
import { startCollector } from "../support/collector.ts";
import { freePort, takePort } from "../support/ports.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("collect");
const directory = join(root, "site");

const post = (port: number, body: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/hit`, { method: "POST", body });

const view = (id: string): string =>
  JSON.stringify({
    site: "shop",
    type: "pageview",
    url: "https://shop.example/home",
    visitor: "v",
    id,
  });

test("hits survive a kill, reach the marts once, and are accounted for", async () => {
  const port = await freePort();
  const killed = await startCollector(directory, port);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(port, view(`a${i}`))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await killed.kill9();

  const collector = await startCollector(directory, port);
  await post(port, view("a0"));
  await post(port, "oops");
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  expect(await get("/micro/all")).toEqual({ total: 22, good: 21, bad: 1 });
  expect(await get("/micro/bad")).toMatchObject([{ collectorPayload: { body: "oops" } }]);
  const second = ["collect", "--port", `${await freePort()}`, "--database", directory];
  for (const journal of [[], ["--journal", join(root, "another")]])
    expect(pipeline([...second, ...journal]).stderr).toContain("Another collector uses");
  await collector.stop("SIGINT");
  expect(collector.output).toContain("22 hits = 21 good + 1 bad");

  const rows = "SELECT count(), uniq(click_id) FROM dm.event_enriched";
  const query = pipeline(["query", rows, "--format", "CSV", "--database", directory]);
  expect(query.stdout.trim()).toBe("20,1");
  const proof = pipeline(["prove", "--deep", "--database", directory]);
  expect(proof.stdout).toContain("the collector: 22 hits = 21 events + 1 hit rejected");
  expect(proof.status).toBe(0);
});

test("an address of a server and a port in use are refused", async () => {
  const server = pipeline(["collect", "--database", "http://localhost:9123"]);
  expect(server.stderr).toContain("is a server, which needs --bootstrap and --journal");
  const { port, free } = await takePort();
  const { stderr, status } = pipeline(["collect", "--port", `${port}`, "--database", directory]);
  await free();
  expect(stderr).toContain(`Port ${port} is in use`);
  expect(status).toBe(1);
});
