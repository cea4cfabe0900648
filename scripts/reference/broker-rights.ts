import { BROKER_RIGHTS } from "../../kafka/rights.ts";
import { code, tableText } from "./table.ts";

const KINDS = { TOPIC: "topic", GROUP: "consumer group", TRANSACTIONAL_ID: "transactional id" };

/** Rights that the user needs at a broker with access control lists. */
export const brokerRights = (): string =>
  tableText({
    head: ["operation", "resource", "names", "for"],
    rows: BROKER_RIGHTS.map(({ operation, resource, pattern, names, purpose, isForReset }) => [
      code(operation),
      `${KINDS[resource]}${pattern === "PREFIXED" ? ", prefixed" : ""}`,
      names.map(code).join(" "),
      `${purpose}${isForReset ? ": only a reset and a clean start" : ""}`,
    ]),
  });
