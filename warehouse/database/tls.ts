import { UserError } from "../../contract/errors.ts";

/** What Node says of a certificate that nobody it trusts has signed. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const OUT_OF_DATE: ReadonlySet<string> = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

interface TlsError {
  readonly message: string;
  readonly code?: string;
  /** The server's, where it is for other addresses. */
  readonly cert?: { readonly subjectaltname?: string };
}

/** Why no encrypted connection to `url` came about, and the hint; nothing for other errors. */
export function explainTls(error: TlsError, url: string): UserError | undefined {
  const { code = "", cert } = error;
  if (UNTRUSTED.has(code)) {
    return new UserError(
      `The certificate of ${url} is not trusted (${code}).`,
      "NODE_EXTRA_CA_CERTS=FILE in the environment, the authority's certificates in PEM form; then the same command",
    );
  }
  if (OUT_OF_DATE.has(code)) {
    return new UserError(
      `The certificate of ${url} is not valid today (${code}).`,
      "a new certificate for that server, or this machine's clock",
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new UserError(
      `The certificate of ${url} is for ${cert?.subjectaltname ?? "another address"}.`,
      "an address that it names; then the same command",
    );
  }
  // A server that takes the greeting for a request answers in plain text.
  if (code === "EPROTO" && error.message.includes("wrong version number")) {
    return new UserError(
      `${url} does not speak TLS (${code}).`,
      `${url.replace(/^https:/, "http:")}, or its port for HTTPS`,
    );
  }
  return undefined;
}
