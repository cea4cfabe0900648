import { createHash } from "node:crypto";

export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export const sha256 = (data: string | Buffer): string =>
  createHash("sha256").update(data).digest("hex");

/** Returns the digest of a manifest without its checksum, and without the settings, which have a fingerprint. */
export const checksumOf = (content: object): string => {
  const { checksum: _, settings: __, ...rest } = content as Partial<Record<string, unknown>>;
  return sha256(canonicalJson(rest));
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
