import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliResult, pipelineAsync } from "../support/cli.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";
import { useFolder } from "../support/use-folder.ts";

const isMissing = spawnSync("openssl", ["version"]).status !== 0;
if (isMissing) console.warn("HTTPS to the database is not tested: there is no openssl");

describe.skipIf(isMissing)(
  "a database behind HTTPS, as database.mode: external may name one",
  () => {
    const directory = useFolder("tls");
    let database: ContainerDatabase;
    let front: Server;
    let port: number;

    beforeAll(async () => {
      database = await startContainerDatabase({ directory });
      makeCertificate(directory);
      front = await startFront(directory, database.http);
      port = (front.address() as AddressInfo).port;
    });
    afterAll(async () => {
      front?.close();
      await database?.stop();
    });

    const ddl = (url: string, authority: string, ...more: string[]): Promise<CliResult> =>
      pipelineAsync(["ddl", "--database", url, ...more], {
        CLICKHOUSE_PASSWORD: DATABASE_SECRETS.clickhousePassword,
        NODE_EXTRA_CA_CERTS: authority,
      });
    const authority = () => join(directory, CERTIFICATE);

    it("gets its schema if the certificate's authority is known", async () => {
      const url = `https://localhost:${port}`;
      expect(await ddl(url, authority())).toMatchObject({ status: 0, stderr: "" });
      expect(await ddl(url, authority(), "--verify")).toMatchObject({ status: 0, stderr: "" });
      expect(await database.as().rows("EXISTS dm.session")).toEqual([{ result: 1 }]);
    });

    it("is refused if it is unknown, with the setting that makes it known", async () => {
      const url = `https://localhost:${port}`;
      expect(await ddl(url, "", "--verify")).toMatchObject({
        status: 1,
        stderr: `error: The certificate of ${url} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)
  hint: set NODE_EXTRA_CA_CERTS to a PEM file with the authority's certificates, then retry
`,
      });
    });
  },
);

const KEY = "key.pem";
const CERTIFICATE = "certificate.pem";

/** A self-signed key and certificate for `localhost` only. */
function makeCertificate(directory: string): void {
  const options = [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"],
    ...["-keyout", KEY, "-out", CERTIFICATE],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
  ];
  execFileSync("openssl", options, { cwd: directory, stdio: "pipe" });
}

/** Terminates TLS and forwards all requests, as a load balancer does. */
function startFront(directory: string, port: number): Promise<Server> {
  const [key, cert] = [KEY, CERTIFICATE].map((file) => readFileSync(join(directory, file)));
  const front = createServer({ key, cert }, (client) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    for (const side of [client, upstream]) {
      side.on("error", () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  // A client that refuses the certificate ends the handshake and reports it itself.
  front.on("tlsClientError", () => undefined);
  return new Promise((resolve) => front.listen(0, "127.0.0.1", () => resolve(front)));
}
