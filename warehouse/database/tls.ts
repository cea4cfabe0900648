import { UserError } from "../../contract/errors.ts";

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
  readonly cert?: { readonly subjectaltname?: string };
}

/** Returns the UserError of a TLS error, undefined for other errors. */
export function explainTls(error: TlsError, url: string): UserError | undefined {
  const { code = "", cert } = error;
  if (UNTRUSTED.has(code)) {
    return new UserError(
      `The certificate of ${url} is not trusted (${code})`,
      "set NODE_EXTRA_CA_CERTS to a PEM file with the authority's certificates, then retry",
    );
  }
  if (OUT_OF_DATE.has(code)) {
    return new UserError(
      `The certificate of ${url} is not valid today (${code})`,
      "renew the server's certificate, or correct this machine's clock",
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new UserError(
      `The certificate of ${url} is for ${cert?.subjectaltname ?? "another address"}`,
      "use an address that the certificate names",
    );
  }
  // A server without TLS answers the handshake in plain text.
  if (code === "EPROTO" && error.message.includes("wrong version number")) {
    return new UserError(
      `${url} does not speak TLS (${code})`,
      `use ${url.replace(/^https:/, "http:")}, or the server's HTTPS port`,
    );
  }
  return undefined;
}
