import { mkdtempSync, rmSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../../contract/broker.ts";
import { openBroker } from "../../../kafka/client.ts";
import { BROKER_RIGHTS, type Right } from "../../../kafka/rights.ts";
import { TestBroker } from "../broker.ts";
import { connectionTo } from "../connection.ts";
import { makeCertificates } from "./certificates.ts";
import { createUser, grant } from "./users.ts";

// A quote, a backslash and a blank: each has a meaning to one of the clients.
export const PASSWORD = 'it\'s \\ "secret"';

/**
 * A broker with TLS of its own CA, SCRAM-SHA-512 and access control lists. The user `pipeline` may
 * also use PLAIN, because the local engine is built without SCRAM.
 */
export class SecureBroker {
  readonly ca: string;
  readonly broker: TestBroker;
  /** Client on the open listener, which may do everything. */
  readonly admin: Admin;
  readonly #directory: string;

  private constructor(directory: string, ca: string, broker: TestBroker, admin: Admin) {
    this.#directory = directory;
    this.ca = ca;
    this.broker = broker;
    this.admin = admin;
  }

  /** @param host at which clients reach the secure listener */
  static async start(host = "localhost"): Promise<SecureBroker> {
    const directory = mkdtempSync(join(tmpdir(), "test-secure-"));
    const { ca, properties } = makeCertificates(directory, `${isIP(host) ? "IP" : "DNS"}:${host}`);
    const broker = await TestBroker.start({ ...SETTINGS, ...properties }, { secureHost: host });
    const admin = await openBroker(connectionTo(broker.bootstrap), "test-admin");
    return new SecureBroker(directory, ca, broker, admin);
  }

  /** Creates a user with rights. @returns the user's connection */
  async addUser(username: string, rights: readonly Right[] = BROKER_RIGHTS) {
    await createUser(this.admin, username, PASSWORD);
    await grant(this.admin, username, rights);
    return {
      bootstrap: [this.broker.secureBootstrap],
      tls: { ca: this.ca },
      sasl: { mechanism: "SCRAM-SHA-512", username, password: PASSWORD },
    } as const satisfies BrokerConnection;
  }

  async stop(): Promise<void> {
    await this.admin.close();
    await this.broker.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const SETTINGS = {
  "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT",
  "sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN",
  "listener.name.secure.scram-sha-512.sasl.jaas.config":
    "org.apache.kafka.common.security.scram.ScramLoginModule required;",
  // A properties file reads a backslash as an escape.
  "listener.name.secure.plain.sasl.jaas.config":
    `org.apache.kafka.common.security.plain.PlainLoginModule required user_pipeline=${JSON.stringify(PASSWORD)};`.replaceAll(
      "\\",
      "\\\\",
    ),
  "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
  "allow.everyone.if.no.acl.found": "false",
  // The broker's own listeners, and the client of the tests that creates users.
  "super.users": "User:ANONYMOUS",
} as const;
