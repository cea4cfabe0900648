import { createHash } from "node:crypto";

/** Namespace of the ids, the same in every installation. */
const NAMESPACE = Buffer.from("5d0d3e0a6d5c4cf0b1d55f7a2b1c9e42", "hex");

/** Returns a UUID version 5 (RFC 9562) of the key, so that titles may change. */
export function assetId(kind: "database" | "dataset" | "chart" | "dashboard", key: string): string {
  const hash = createHash("sha1").update(NAMESPACE).update(`${kind}/${key}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20, 32)].join("-");
}
