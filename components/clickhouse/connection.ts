import type * as pulumi from "@pulumi/pulumi";
import { SECRET_FILES } from "../shared/service.ts";
import type { Ready, Use } from "../shared/use.ts";

/** Addresses of ClickHouse. */
export interface ClickHouseServer {
  /** Address of the HTTP interface for containers. */
  readonly url: string;
  /** Address of the HTTP interface for this machine. */
  readonly hostUrl: string;
  /** What stores the topics. */
  readonly ingest: "kafka-engine" | "service";
  /** Of a container; for commands on this machine. */
  readonly snapshots?: { readonly container: string; readonly kept: number };
}

export interface Account {
  readonly user: string;
  readonly password: pulumi.Output<string>;
}

const PASSWORD_FILE = `${SECRET_FILES}/clickhouse-password`;

/** ClickHouse for an account's clients, who get the address only with what they wait for. */
export class ClickHouseConnection {
  readonly #server: ClickHouseServer;
  readonly #account: Account;
  readonly #ready: readonly Ready[];

  constructor(server: ClickHouseServer, account: Account, ready: readonly Ready[]) {
    this.#server = server;
    this.#account = account;
    this.#ready = ready;
  }

  /** Returns a connection that waits for another resource, too. */
  after(ready: Ready): ClickHouseConnection {
    return new ClickHouseConnection(this.#server, this.#account, [...this.#ready, ready]);
  }

  /** For containers. */
  get use(): Use {
    return {
      environment: {
        CLICKHOUSE_URL: this.#server.url,
        CLICKHOUSE_PASSWORD_FILE: PASSWORD_FILE,
        ...this.#variables,
      },
      files: { [PASSWORD_FILE]: this.#account.password },
      ready: this.#ready,
    };
  }

  /** For the pipeline's commands on this machine. */
  get client(): Use {
    const { snapshots } = this.#server;
    return {
      environment: {
        CLICKHOUSE_URL: this.#server.hostUrl,
        CLICKHOUSE_PASSWORD: this.#account.password,
        ...this.#variables,
        ...(snapshots
          ? { SNAPSHOTS_CONTAINER: snapshots.container, SNAPSHOTS_KEPT: `${snapshots.kept}` }
          : {}),
      },
      ready: this.#ready,
    };
  }

  /** For the command that connects Superset. */
  get dataSource(): Use {
    return {
      environment: {
        BI_DATABASE_URL: this.#server.url,
        BI_DATABASE_USER: this.#account.user,
        BI_DATABASE_PASSWORD: this.#account.password,
      },
      ready: this.#ready,
    };
  }

  get #variables(): Record<string, string> {
    return {
      CLICKHOUSE_USER: this.#account.user,
      ...(this.#server.ingest === "service" ? { DDL_TIER: "service" } : {}),
    };
  }
}
