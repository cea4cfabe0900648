import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const STORE_PASSWORD = "changeit";
const KEYS = ["-keyalg", "RSA", "-validity", "2", "-storetype", "PKCS12"];

/** A certificate authority of our own and a broker certificate signed by it. */
export interface Certificates {
  /** Certificate of the authority, PEM. */
  readonly ca: string;
  /** Settings of the broker's key store. */
  readonly properties: Readonly<Record<string, string>>;
}

/** @param alternativeNames of the broker, such as `DNS:localhost,IP:127.0.0.1` */
export function makeCertificates(directory: string, alternativeNames: string): Certificates {
  const keytool = (store: string, ...options: readonly string[]): void =>
    run(directory, [...options, "-keystore", `${store}.p12`, "-storepass", STORE_PASSWORD]);
  const authority = ["-alias", "authority"];
  const broker = ["-alias", "broker"];
  keytool("ca", "-genkeypair", ...KEYS, ...authority, "-dname", "CN=Own CA", "-ext", "bc:c");
  keytool("ca", "-exportcert", "-rfc", ...authority, "-file", "ca.pem");
  keytool("broker", "-genkeypair", ...KEYS, ...broker, "-dname", "CN=broker");
  keytool("broker", "-certreq", ...broker, "-file", "broker.csr");
  const san = ["-ext", `SAN=${alternativeNames}`];
  const signed = ["-infile", "broker.csr", "-outfile", "broker.pem", "-rfc"];
  keytool("ca", "-gencert", ...authority, "-validity", "2", ...san, ...signed);
  keytool("broker", "-importcert", "-noprompt", ...authority, "-file", "ca.pem");
  keytool("broker", "-importcert", "-noprompt", ...broker, "-file", "broker.pem");
  return {
    ca: readFileSync(join(directory, "ca.pem"), "utf8"),
    properties: {
      "ssl.keystore.location": join(directory, "broker.p12"),
      "ssl.keystore.password": STORE_PASSWORD,
      "ssl.keystore.type": "PKCS12",
    },
  };
}

function run(directory: string, options: readonly string[]): void {
  const { status, stdout } = spawnSync("keytool", options, { cwd: directory, encoding: "utf8" });
  if (status !== 0) throw new Error(`keytool ${options[0]} failed: ${stdout}`);
}
