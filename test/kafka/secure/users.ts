import { pbkdf2Sync, randomBytes } from "node:crypto";
import {
  AclOperations,
  AclPermissionTypes,
  type Admin,
  alterUserScramCredentialsV0,
  ResourcePatternTypes,
  ResourceTypes,
} from "@platformatic/kafka";
import type { Right } from "../../../kafka/rights.ts";

const SCRAM_SHA_512 = 2;
const ITERATIONS = 4096;

/** Creates a user for SCRAM-SHA-512. @param admin of a user who may do everything */
export async function createUser(admin: Admin, name: string, password: string): Promise<void> {
  const salt = randomBytes(16);
  const saltedPassword = pbkdf2Sync(password, salt, ITERATIONS, 64, "sha512");
  const user = { name, mechanism: SCRAM_SHA_512, iterations: ITERATIONS, salt, saltedPassword };
  const [connection] = (await admin.connectToBrokers()).values();
  if (!connection) throw new Error("no broker");
  await alterUserScramCredentialsV0.api.async(connection, [], [user]);
}

export const grant = (admin: Admin, name: string, rights: readonly Right[]): Promise<void> =>
  admin.createAcls({
    creations: rights.flatMap(({ resource, pattern, names, operation }) =>
      names.map((resourceName) => ({
        resourceType: ResourceTypes[resource],
        resourceName,
        resourcePatternType: ResourcePatternTypes[pattern],
        principal: `User:${name}`,
        host: "*",
        operation: AclOperations[operation],
        permissionType: AclPermissionTypes.ALLOW,
      })),
    ),
  });
