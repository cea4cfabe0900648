import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../contract/errors.ts";
import { protocolErrors } from "./errors.ts";

const EMPTY_WITHIN_MS = 20_000;
const RETRY_MS = 250;

/** Removes members from groups: the consumer of a detached table stays and blocks partitions. */
export async function evictMembers(admin: Admin, groups: readonly string[]): Promise<void> {
  for (const group of (await admin.describeGroups({ groups: [...groups] })).values()) {
    const members = [...group.members.keys()].map((memberId) => ({ memberId }));
    if (members.length === 0) continue;
    await admin.removeMembersFromConsumerGroup({ groupId: group.id, members });
  }
}

/** Deletes a group and its offsets. @throws UserError when the group still has members */
export async function deleteGroup(admin: Admin, group: string): Promise<void> {
  for (const deadline = Date.now() + EMPTY_WITHIN_MS; ; await sleep(RETRY_MS)) {
    try {
      return await admin.deleteGroups({ groups: [group] });
    } catch (error) {
      const names = protocolErrors(error);
      if (names.includes("GROUP_ID_NOT_FOUND")) return;
      const isBusy = names.includes("NON_EMPTY_GROUP");
      if (isBusy && Date.now() > deadline) throw await stillRead(admin, group);
      if (!isBusy) throw error;
    }
    await evictMembers(admin, [group]);
  }
}

/** Replaces all offsets of a group; it reads other partitions from their start. @throws UserError like deleteGroup */
export async function replaceOffsets(
  admin: Admin,
  group: string,
  offsets: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly offset: string;
  }[],
): Promise<void> {
  const topics = Object.entries(Object.groupBy(offsets, ({ topic }) => topic)).map(
    ([name, some = []]) => ({
      name,
      partitionOffsets: some.map(({ partition, offset }) => ({
        partition,
        offset: BigInt(offset),
      })),
    }),
  );
  for (const deadline = Date.now() + EMPTY_WITHIN_MS; ; await sleep(RETRY_MS)) {
    await deleteGroup(admin, group);
    try {
      if (topics.length > 0) await admin.alterConsumerGroupOffsets({ groupId: group, topics });
      return;
    } catch (error) {
      // A member that has joined since.
      if (!protocolErrors(error).includes("UNKNOWN_MEMBER_ID") || Date.now() > deadline)
        throw error;
    }
  }
}

async function stillRead(admin: Admin, group: string): Promise<UserError> {
  const members = (await admin.describeGroups({ groups: [group] })).get(group)?.members;
  const who = [...(members?.values() ?? [])].map(
    ({ clientId, clientHost }) => `${clientId} at ${clientHost}`,
  );
  return new UserError(
    `The consumer group ${group} is in use by ${who.join(", ")}: its offsets cannot be deleted`,
    "stop that consumer, then retry",
  );
}
