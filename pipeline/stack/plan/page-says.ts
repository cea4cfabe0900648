/**
 * Check of a container that asks a page of its own for a line in its answer (`grep`'s pattern), with
 * the image's shell. A program of its own that can do so would cost more, every few seconds, than the
 * service idles.
 */
export const pageSays = (port: number, path: string, line: string): string[] => [
  "CMD",
  "bash",
  "-c",
  `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '${line}' <&3`,
];

/** The page is there, whatever it shows. */
export const IS_OK = "^HTTP/1.[01] 200";
