import { serveHttp } from "../../support/http.ts";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Answers requests with JSON until the end of the test, and records them. */
export async function fakeHttp(
  answer: (path: string) => { readonly status?: number; readonly body: unknown },
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const url = await serveHttp(({ method = "", url: path = "", headers }, response) => {
    seen.push({ method, path, authorization: headers.authorization });
    const { status = 200, body } = answer(path);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return { url, seen };
}
