import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

const PAGE = readFileSync(join(import.meta.dirname, "play.html"));

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf("script")}`,
  `style-src ${hashOf("style")}`,
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export function sendPlayPage(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    "Content-Type": "text/html; charset=UTF-8",
    "Content-Length": PAGE.length,
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
  });
  response.end(PAGE);
}

function hashOf(element: "script" | "style"): string {
  const text = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(String(PAGE))?.[1] ?? "";
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
