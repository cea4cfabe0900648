import type { Admin } from "@platformatic/kafka";
import { expect, test } from "vitest";
import { missingRights } from "../../../kafka/rights.ts";

const failing = (apiId: string) => async () => {
  throw Object.assign(new Error(apiId), { apiId });
};

/** A broker without brokers to ask for topics, whose coordinators answer with an error. */
const brokerThat = (groups: string, transactionalIds: string) =>
  ({
    connectToBrokers: async () => new Map(),
    describeGroups: failing(groups),
    findCoordinator: failing(transactionalIds),
  }) as unknown as Admin;

const withoutTopics = async (admin: Admin): Promise<string[]> =>
  [...new Set((await missingRights(admin)).map(({ resource }) => resource))].filter(
    (resource) => resource !== "TOPIC",
  );

test("a new broker without coordinators has not refused anything", async () => {
  const young = brokerThat("COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS");
  expect(await withoutTopics(young)).toEqual([]);
});

test("a refused group or transactional id is missing", async () => {
  const strict = brokerThat("GROUP_AUTHORIZATION_FAILED", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED");
  expect(await withoutTopics(strict)).toEqual(["GROUP", "TRANSACTIONAL_ID"]);
});

test("another error is not hidden", async () => {
  await expect(missingRights(brokerThat("UNSUPPORTED_VERSION", ""))).rejects.toThrow(
    "UNSUPPORTED_VERSION",
  );
});
