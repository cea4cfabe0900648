/** Adds binaries of other platforms, which npm omits, to package-lock.json. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface LockEntry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const OS = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "win32"];
const CPU = ["arm64", "x64", "arm", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "loong64"];

function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> {
  const words = name.split(/[-/]/);
  const os = OS.find((candidate) => words.includes(candidate));
  const cpu = CPU.find((candidate) => words.includes(candidate));
  const isMusl = words.some((word) => word.startsWith("musl"));
  const isGnu = os === "linux" && words.some((word) => word.startsWith("gnu"));
  return {
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(os ? { os: [os] } : {}),
    ...(isMusl ? { libc: ["musl"] } : isGnu ? { libc: ["glibc"] } : {}),
  };
}

const path = join(import.meta.dirname, "../package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, LockEntry> };
const added: string[] = [];
for (const [location, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] || lock.packages[`${location}/${key}`]) continue;
    if (!/^\d/.test(version)) continue;
    const entry = { version, ...platformOf(name), ...(dev ? { dev } : {}), optional: true };
    lock.packages[key] = entry;
    added.push(name);
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
if (added.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} entries added`, added.join(" "));
