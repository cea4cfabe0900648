import { CONSUMER_GROUPS, TRANSACTIONAL_ID_PREFIX, topicSpecs } from "../contract/topics.ts";

export interface Right {
  readonly resource: "TOPIC" | "GROUP" | "TRANSACTIONAL_ID";
  readonly pattern: "LITERAL" | "PREFIXED";
  readonly names: readonly string[];
  readonly operation: "READ" | "WRITE" | "CREATE" | "DELETE" | "ALTER_CONFIGS";
  readonly purpose: string;
  /** True if only `pipeline topics --reset` and a clean start need it. */
  readonly isForReset: boolean;
}

const TOPICS = topicSpecs().map(({ name }) => name);

const right = (
  resource: "TOPIC" | "GROUP",
  operation: Right["operation"],
  purpose: string,
  isForReset = false,
): Right => {
  const names = resource === "TOPIC" ? TOPICS : CONSUMER_GROUPS;
  return { resource, pattern: "LITERAL", names, operation, purpose, isForReset };
};

/** Rights that the pipeline's user needs at a broker with access control lists. */
export const BROKER_RIGHTS: readonly Right[] = [
  right("TOPIC", "CREATE", "create missing topics"),
  right("TOPIC", "ALTER_CONFIGS", "compare and correct the settings of topics"),
  right("TOPIC", "READ", "load messages into ClickHouse; read state and epochs"),
  right("TOPIC", "WRITE", "publish messages, state and epochs"),
  right("GROUP", "READ", "load messages into ClickHouse"),
  {
    resource: "TRANSACTIONAL_ID",
    pattern: "PREFIXED",
    names: [TRANSACTIONAL_ID_PREFIX],
    operation: "WRITE",
    purpose: "publish in transactions",
    isForReset: false,
  },
  right("TOPIC", "DELETE", "re-create topics", true),
  right("GROUP", "DELETE", "re-create topics", true),
];
