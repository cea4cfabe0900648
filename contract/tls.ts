import { UserError } from "./errors.ts";

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

interface Server {
  /** Name and address for the message. */
  readonly what: string;
  /** Hint for a certificate of an unknown authority. */
  readonly trust: string;
  /** Hint for a server without TLS. */
  readonly plain: string;
}

/** Returns the UserError of a TLS error, undefined for other errors. */
export function explainTls(error: TlsError, { what, trust, plain }: Server): UserError | undefined {
  const { code = "", cert } = error;
  if (UNTRUSTED.has(code)) {
    return new UserError(`The certificate of ${what} is not trusted (${code})`, trust);
  }
  if (OUT_OF_DATE.has(code)) {
    return new UserError(
      `The certificate of ${what} is not valid today (${code})`,
      "renew the server's certificate, or correct this machine's clock",
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new UserError(
      `The certificate of ${what} is for ${cert?.subjectaltname ?? "another address"}`,
      "use an address that the certificate names",
    );
  }
  // A server without TLS answers the handshake in plain text.
  if (code === "EPROTO" && error.message.includes("wrong version number")) {
    return new UserError(`${what} does not speak TLS (${code})`, plain);
  }
  return undefined;
}
