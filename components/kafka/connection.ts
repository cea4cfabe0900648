import type * as pulumi from "@pulumi/pulumi";
import type { BrokerConnection } from "../../contract/broker.ts";
import { SECRET_FILES } from "../shared/service.ts";
import type { Ready, Use } from "../shared/use.ts";

/** Addresses and login of Kafka. */
export interface KafkaServer {
  /** Bootstrap servers for containers, several separated by commas. */
  readonly bootstrap: string;
  /** Bootstrap servers for this machine. */
  readonly hostBootstrap: string;
  /** TLS; null without encryption. `ca`: certificates (PEM) that replace the system's. */
  readonly tls: { readonly ca?: string } | null;
  readonly sasl: KafkaLogin | null;
}

interface KafkaLogin {
  readonly mechanism: NonNullable<BrokerConnection["sasl"]>["mechanism"];
  readonly username: string;
  readonly password: pulumi.Output<string>;
}

const PASSWORD_FILE = `${SECRET_FILES}/kafka-sasl-password`;

/** Kafka for its clients, who get the address only with what they wait for. */
export class KafkaConnection {
  readonly #server: KafkaServer;
  readonly #ready: readonly Ready[];

  constructor(server: KafkaServer, ready: readonly Ready[]) {
    this.#server = server;
    this.#ready = ready;
  }

  /** Returns a connection that waits for another resource, too. */
  after(ready: Ready): KafkaConnection {
    return new KafkaConnection(this.#server, [...this.#ready, ready]);
  }

  /** For containers of the pipeline's programs. */
  get use(): Use {
    const { bootstrap, sasl } = this.#server;
    return {
      environment: {
        KAFKA_BOOTSTRAP_SERVERS: bootstrap,
        ...security(this.#server),
        ...(sasl ? { KAFKA_SASL_PASSWORD_FILE: PASSWORD_FILE } : {}),
      },
      files: sasl ? { [PASSWORD_FILE]: sasl.password } : {},
      ready: this.#ready,
    };
  }

  /** For the pipeline's commands on this machine. */
  get client(): Use {
    const { bootstrap, hostBootstrap, sasl } = this.#server;
    return {
      environment: {
        KAFKA_BOOTSTRAP_SERVERS: hostBootstrap,
        // In an external ClickHouse, `topics` creates the named collection of Kafka.
        KAFKA_DATABASE_BOOTSTRAP_SERVERS: bootstrap,
        ...security(this.#server),
        ...(sasl ? { KAFKA_SASL_PASSWORD: sasl.password } : {}),
      },
      ready: this.#ready,
    };
  }

  /**
   * For other programs: a file with their settings, secret with a login.
   * @param caFile file for certificates, if the settings refer to one
   */
  settings(file: string, render: (connection: BrokerConnection) => string, caFile?: string): Use {
    const { bootstrap, tls, sasl } = this.#server;
    const connection = { bootstrap: bootstrap.split(","), tls };
    const content = sasl
      ? sasl.password.apply((password) => render({ ...connection, sasl: { ...sasl, password } }))
      : render({ ...connection, sasl });
    const ca = caFile && tls?.ca ? { [caFile]: tls.ca } : {};
    return { files: { [file]: content, ...ca }, ready: this.#ready };
  }
}

const security = ({ tls, sasl }: KafkaServer) => ({
  ...(tls ? { KAFKA_TLS: "true" } : {}),
  ...(tls?.ca ? { KAFKA_TLS_CA: tls.ca } : {}),
  ...(sasl ? { KAFKA_SASL_MECHANISM: sasl.mechanism, KAFKA_SASL_USERNAME: sasl.username } : {}),
});
