import { expect, test } from "vitest";
import { explainTls } from "../../../contract/tls.ts";

const server = { what: "Kafka at b:9094", trust: "set the CA", plain: "switch TLS off" };
const explained = (error: { message?: string; code?: string; cert?: object }) => {
  const found = explainTls({ message: "", ...error }, server);
  return found && [found.message, found.hint];
};

test.each(["DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"])(
  "%s is a certificate that is not trusted",
  (code) => {
    expect(explained({ code })).toEqual([
      `The certificate of Kafka at b:9094 is not trusted (${code})`,
      "set the CA",
    ]);
  },
);

test.each(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"])("%s is a matter of dates", (code) => {
  expect(explained({ code })).toEqual([
    `The certificate of Kafka at b:9094 is not valid today (${code})`,
    "renew the server's certificate, or correct this machine's clock",
  ]);
});

test("a certificate for another name shows the names", () => {
  const code = "ERR_TLS_CERT_ALTNAME_INVALID";
  expect(explained({ code, cert: { subjectaltname: "DNS:a" } })).toEqual([
    "The certificate of Kafka at b:9094 is for DNS:a",
    "use an address that the certificate names",
  ]);
  expect(explained({ code })?.[0]).toBe(
    "The certificate of Kafka at b:9094 is for another address",
  );
});

test("an answer in plain text is a server without TLS", () => {
  expect(explained({ code: "EPROTO", message: "ssl: wrong version number" })).toEqual([
    "Kafka at b:9094 does not speak TLS (EPROTO)",
    "switch TLS off",
  ]);
});

test("other errors are not explained", () => {
  expect(explained({ code: "EPROTO", message: "no cipher" })).toBeUndefined();
  expect(explained({ code: "ECONNREFUSED" })).toBeUndefined();
  expect(explained({})).toBeUndefined();
});
