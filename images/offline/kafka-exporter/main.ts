import { readFileSync } from "node:fs";
import { SASL_MECHANISMS } from "../../../contract/broker.ts";
import { startExporter } from "./exporter.ts";

/** Arguments; `@file` is replaced by the lines of the file, as in the real exporter. */
const args = process.argv
  .slice(2)
  .flatMap((arg) => (arg.startsWith("@") ? readFileSync(arg.slice(1), "utf8").split("\n") : [arg]));
const valuesOf = (name: string): string[] =>
  args.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3));
const [mechanism = ""] = valuesOf("sasl.mechanism");
const [caFile] = valuesOf("tls.ca-file");

const exporter = await startExporter({
  port: 9308,
  connection: {
    bootstrap: valuesOf("kafka.server"),
    tls: args.includes("--tls.enabled")
      ? { ...(caFile ? { ca: readFileSync(caFile, "utf8") } : {}) }
      : null,
    sasl: args.includes("--sasl.enabled")
      ? {
          mechanism:
            SASL_MECHANISMS.find(
              (name) => name.toLowerCase().replace("sha-", "sha") === mechanism,
            ) ?? "PLAIN",
          username: valuesOf("sasl.username")[0] ?? "",
          password: valuesOf("sasl.password")[0] ?? "",
        }
      : null,
  },
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => void exporter.close().then(() => process.exit(0)));
}
