import { expect, test } from "vitest";
import { Services } from "../../../components/shared/services.ts";

const job = { job: "generator", target: "generator:9109", use: { ready: [] } };
const page = { title: "Kafka UI", url: "http://localhost:8082" };

test("a service that is declared too late to be scraped or linked is an error", () => {
  const services = new Services();
  services.add({ scrape: [job], page: { ...page, isTool: true } });
  expect(services.scrape).toEqual([job]);
  expect(services.tools).toEqual([{ ...page, isTool: true }]);
  expect(() => services.add({ scrape: [job] })).toThrow(
    "generator:9109 is declared after the service that takes all scrape jobs",
  );
  expect(() => services.add({ page: { ...page, isTool: true } })).toThrow(
    "Kafka UI is declared after the service that takes all pages of tools",
  );
  services.add({ page });
  expect(services.outputs.pages).toHaveLength(2);
});
