import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP, isIPv4 } from "node:net";
import { join } from "node:path";

export const ADDRESSES = ["full", "shortened", "none"] as const;
/** What is kept of a visitor's address. */
export type AddressKept = (typeof ADDRESSES)[number];

/** Returns what may be kept of an address: shortened, it names a network of 256 IPv4 addresses, or an IPv6 site. */
export function keptAddress(address: string, kept: AddressKept): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (kept === "none" || isIP(plain) === 0) return "";
  if (kept === "full") return plain;
  if (isIPv4(plain)) return plain.replace(/\d+$/, "0");
  const groups = plain.split("::")[0]?.split(":").slice(0, 3) ?? [];
  return `${groups.join(":").replace(/:*$/, "")}::`;
}

/**
 * Names visitors without a cookie: the hash of a salt of the day, site, address and user agent. The salt is deleted
 * after the day, also without hits, so nobody can follow a visitor across days. https://plausible.io/data-policy
 */
export class DailyVisitors {
  readonly #file: string;
  #day = "";
  #salt = "";

  constructor(dir: string) {
    this.#file = join(dir, "salt");
    if (existsSync(this.#file))
      [this.#day = "", this.#salt = ""] = readFileSync(this.#file, "utf8").split(" ");
    this.#forget();
    setInterval(() => this.#forget(), CHECK_MS).unref();
  }

  #forget(): void {
    if (this.#day === dayOf(Date.now())) return;
    this.#day = "";
    rmSync(this.#file, { force: true });
  }

  visitorOf(at: number, ...facts: readonly string[]): string {
    const day = dayOf(at);
    if (day !== this.#day) {
      [this.#day, this.#salt] = [day, randomBytes(16).toString("hex")];
      writeFileSync(this.#file, `${this.#day} ${this.#salt}`, { mode: 0o600 });
    }
    const text = [this.#salt, ...facts].join("\0");
    return createHash("sha256").update(text).digest("hex").slice(0, 32);
  }
}

/** Time between two looks whether the day is over; a timer of a day is late after a machine slept. */
const CHECK_MS = 60_000;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, "2026-01-01".length);
