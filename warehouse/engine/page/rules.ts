import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Configuration, OWN_HOST, OWN_REQUEST } from "../configuration.ts";
import { QUESTIONS } from "./questions.ts";

interface PageOptions {
  /** Name of the data in the page's header. */
  readonly name: string;
  /** Folder of the server's `user_files`, which a static rule starts from. */
  readonly userFiles: string;
  /** The workspace, and the file with the path of the last used one. */
  readonly workspace?: { readonly directory: string; readonly last: string };
}

const FOLDER = import.meta.dirname;
const IMPORT_MAP = /<script type="importmap">(.*?)<\/script>/s;
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=UTF-8",
  ".html": "text/html; charset=UTF-8",
  ".js": "text/javascript; charset=UTF-8",
  ".mjs": "text/javascript; charset=UTF-8",
};

/** Returns rules of `http_handlers` that serve the SQL page at `/play`. */
export function pageRules({ name, userFiles, workspace }: PageOptions): Configuration[] {
  const root = realpathSync(userFiles);
  // ClickHouse looks for the file in `user_files`, and follows "..".
  const fileRule = (url: string, file: string, headers: Configuration = {}): Configuration =>
    staticRule(
      url,
      TYPES[extname(file)] ?? "text/plain",
      `file://${relative(root, file)}`,
      headers,
    );
  const html = join(FOLDER, "index.html");
  const importMap = IMPORT_MAP.exec(readFileSync(html, "utf8"))?.[1] ?? "";
  const { imports } = JSON.parse(importMap) as { imports: Record<string, string> };
  // Until a second workspace has been used, there is no such file.
  const last = workspace && existsSync(workspace.last) ? workspace : undefined;
  const start = { name, directory: last?.directory, questions: QUESTIONS };
  return [
    // A page of another site may lead here.
    { ...fileRule("/play", html, documentHeaders(importMap)), headers: OWN_HOST },
    ...ownFiles().map((file) => fileRule(`/play/${file}`, join(FOLDER, file))),
    ...Object.entries(imports).map(([module, url]) =>
      fileRule(url.replace("./", "/"), fileURLToPath(import.meta.resolve(module))),
    ),
    staticRule("/play/start.json", "application/json", JSON.stringify(start)),
    ...(last ? [fileRule("/play/last", last.last)] : []),
  ];
}

const ownFiles = (): string[] => readdirSync(FOLDER).filter((file) => /[.](css|js)$/.test(file));

const staticRule = (
  url: string,
  type: string,
  content: string,
  headers: Configuration = {},
): Configuration => ({
  url,
  methods: "GET,HEAD",
  headers: OWN_REQUEST,
  handler: {
    type: "static",
    content_type: type,
    http_response_headers: {
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
    response_content: content,
  },
});

/** Allows the page's own files, its import map, and queries of the same server; nothing else. */
const documentHeaders = (importMap: string): Configuration => ({
  "Content-Security-Policy": [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash("sha256").update(importMap).digest("base64")}'`,
    "style-src 'self'",
    "img-src data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
});
