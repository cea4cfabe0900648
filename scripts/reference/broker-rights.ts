import { BROKER_RIGHTS, type Right } from "../../kafka/rights.ts";
import { code, tableText } from "./table.ts";

const KINDS = {
  TOPIC: "topics",
  GROUP: "consumer groups",
  TRANSACTIONAL_ID: "transactional ids with the prefix",
};

/** Names of a kind of resource; every right of the kind has the same. */
const namesOf = (kind: Right["resource"]): string =>
  (BROKER_RIGHTS.find(({ resource }) => resource === kind)?.names ?? []).map(code).join(" ");

/** Rights that the user needs at a broker with access control lists. */
export const brokerRights = (): string =>
  [
    tableText({
      head: ["operation", "on", "for"],
      rows: BROKER_RIGHTS.map(({ operation, resource, purpose, isForReset }) => [
        code(operation),
        KINDS[resource],
        `${purpose}${isForReset ? ": only a reset and a clean start" : ""}`,
      ]),
    }),
    "",
    ...(["TOPIC", "GROUP", "TRANSACTIONAL_ID"] as const).map(
      (kind) => `- ${KINDS[kind]}: ${namesOf(kind)}`,
    ),
  ].join("\n");
