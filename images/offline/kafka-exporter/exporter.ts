import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../../contract/broker.ts";
import { openBroker } from "../../../kafka/client.ts";
import { collect } from "./collect.ts";

export interface ExporterOptions {
  /** Port; 0 for any free port. */
  readonly port: number;
  readonly connection: BrokerConnection;
}

export interface Exporter {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the exporter. @throws UserError if Kafka is unreachable at the start */
export async function startExporter({ port, connection }: ExporterOptions): Promise<Exporter> {
  const admin = await openBroker(connection, "kafka_exporter");
  const server = createServer(async (request, response) => {
    const text = request.url === "/metrics" ? await textOf(admin) : "kafka_exporter\n";
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await admin.close();
    },
  };
}

/** Latest number of brokers, reported also while Kafka is unreachable. */
let brokers = 0;

async function textOf(admin: Admin): Promise<string> {
  try {
    const answer = await collect(admin);
    brokers = answer.brokers;
    return `kafka_brokers ${brokers}\n${answer.text}`;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return `kafka_brokers ${brokers}\n`;
  }
}
