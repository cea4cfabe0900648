import {
  AclOperations,
  type Admin,
  FindCoordinatorKeyTypes,
  metadataV12,
} from "@platformatic/kafka";
import { CONSUMER_GROUP, TRANSACTIONAL_ID_PREFIX, topicSpecs } from "../contract/topics.ts";
import { causesOf, isTransient, protocolErrors } from "./errors.ts";

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
  const names = resource === "TOPIC" ? TOPICS : [CONSUMER_GROUP];
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

const NO_SUCH_TOPIC = 3;
/** The broker's answer if it does not tell which operations are allowed. */
const UNKNOWN_OPERATIONS = -2_147_483_648;

/** Operations that a broker allows on a resource: one bit each; `absent` for a missing topic. */
type Allowed = ReadonlyMap<string, number | "absent">;

/**
 * Lists rights that the broker does not grant, with the names that lack them; changes nothing. Leaves
 * out rights that it does not tell, because a new broker has no coordinators yet.
 */
export async function missingRights(admin: Admin): Promise<Right[]> {
  const topics = await allowedOnTopics(admin);
  const groups = await allowedOnGroup(admin, CONSUMER_GROUP);
  const named = BROKER_RIGHTS.flatMap((right): Right[] => {
    if (right.resource === "TRANSACTIONAL_ID") return [];
    const allowed = right.resource === "TOPIC" ? topics : groups;
    const names = right.names.filter((name) => isMissing(allowed.get(name) ?? 0, right));
    return names.length === 0 ? [] : [{ ...right, names }];
  });
  return [...named, ...(await missingTransactionalIds(admin))];
}

/** The right to create an absent topic counts as missing, because no broker reports it. */
function isMissing(allowed: number | "absent", { operation }: Right): boolean {
  if (operation === "CREATE" || allowed === "absent")
    return operation === "CREATE" && allowed === "absent";
  return allowed !== UNKNOWN_OPERATIONS && ((allowed >> AclOperations[operation]) & 1) === 0;
}

async function allowedOnTopics(admin: Admin): Promise<Allowed> {
  const [connection] = (await admin.connectToBrokers()).values();
  if (!connection) return new Map();
  const { topics } = await metadataV12.api
    .async(connection, [...TOPICS], false, true)
    .catch(answerOf<metadataV12.MetadataResponse>);
  return new Map(
    topics.map(({ name, errorCode, topicAuthorizedOperations }) => [
      name ?? "",
      errorCode === NO_SUCH_TOPIC ? "absent" : errorCode === 0 ? topicAuthorizedOperations : 0,
    ]),
  );
}

/** Returns the response that an error about some of its topics carries. */
function answerOf<T>(error: unknown): T {
  const found = causesOf(error).find((cause) => "response" in cause);
  if (!found) throw error;
  return (found as Error & { response: T }).response;
}

async function allowedOnGroup(admin: Admin, group: string): Promise<Allowed> {
  const groups = [group];
  try {
    const answer = await admin.describeGroups({ groups, includeAuthorizedOperations: true });
    return new Map([[group, answer.get(group)?.authorizedOperations ?? UNKNOWN_OPERATIONS]]);
  } catch (error) {
    if (isTransient(error)) return new Map([[group, UNKNOWN_OPERATIONS]]);
    if (!protocolErrors(error).includes("GROUP_AUTHORIZATION_FAILED")) throw error;
    return new Map();
  }
}

/** A broker shows the coordinator of a transactional id only to users with a right to the id. */
async function missingTransactionalIds(admin: Admin): Promise<Right[]> {
  const ids = BROKER_RIGHTS.filter(({ resource }) => resource === "TRANSACTIONAL_ID");
  try {
    const keys = ids.flatMap(({ names }) => names);
    await admin.findCoordinator({ keyType: FindCoordinatorKeyTypes.TRANSACTION, keys });
    return [];
  } catch (error) {
    if (isTransient(error)) return [];
    if (protocolErrors(error).includes("TRANSACTIONAL_ID_AUTHORIZATION_FAILED")) return ids;
    throw error;
  }
}
