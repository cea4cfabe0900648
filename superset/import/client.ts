import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json.ts";

export interface SupersetLogin {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Longest wait for an answer, ms; an import into a cold service takes longest. */
const TIMEOUT_MS = 120_000;
const PAGE_SIZE = 100;

export class SupersetClient {
  readonly url: string;
  readonly #headers: Record<string, string>;

  private constructor(url: string, headers: Record<string, string>) {
    this.url = url;
    this.#headers = headers;
  }

  /** Logs in. @throws UserError if Superset cannot be reached or refuses the account */
  static async login({ url, user, password }: SupersetLogin): Promise<SupersetClient> {
    const answer = await send(url, "/api/v1/security/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ username: user, password, provider: "db", refresh: false }),
    });
    if (answer.status === 401) {
      throw new UserError(
        `Superset at ${url} refuses the account ${user}: wrong password, or no such account`,
        "run make up, which sets the account's password from the stack's secrets; make urls shows their folder",
      );
    }
    const { access_token } = read(z.object({ access_token: z.string() }), answer, "login");
    const bearer = { Authorization: `Bearer ${access_token}` };
    return new SupersetClient(url, { ...bearer, ...(await csrf(url, bearer)) });
  }

  async find<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const answer = await send(this.url, path, { headers: this.#headers });
    return answer.status === 404 ? undefined : read(schema, answer, path);
  }

  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return read(schema, await send(this.url, path, { headers: this.#headers }), path);
  }

  async list<T>(kind: "database" | "dataset" | "chart", schema: z.ZodType<T>): Promise<T[]> {
    const page = z.object({ result: z.array(schema) });
    const all: T[] = [];
    for (let number = 0; ; number += 1) {
      const path = `/api/v1/${kind}/?q=(page:${number},page_size:${PAGE_SIZE})`;
      const { result } = await this.get(path, page);
      all.push(...result);
      if (result.length < PAGE_SIZE) return all;
    }
  }

  /** Sends a request; returns answers of any status, which callers interpret. */
  async ask(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: object,
  ): Promise<Answer> {
    if (!body || body instanceof FormData) {
      return send(this.url, path, { method, headers: this.#headers, ...(body ? { body } : {}) });
    }
    const headers = { ...this.#headers, "Content-Type": "application/json" };
    return send(this.url, path, { method, headers, body: JSON.stringify(body) });
  }
}

/** Waits until Superset is healthy. @throws UserError after `seconds` */
export async function waitForSuperset(url: string, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      if ((await send(url, "/health", {})).status === 200) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) {
      throw new UserError(`Superset at ${url} did not become healthy in ${seconds} s`, NEXT);
    }
    await sleep(1000);
  }
}

const NEXT = "run make ps to see whether it runs, or make logs SERVICE=superset for the reason";

/** Returns a token, which is valid only with the cookies of the session. */
async function csrf(url: string, bearer: Record<string, string>): Promise<Record<string, string>> {
  const response = await request(url, "/api/v1/security/csrf_token/", { headers: bearer });
  const { result } = z.object({ result: z.string() }).parse(await response.json());
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  return { "X-CSRFToken": result, Cookie: cookies.join("; "), Referer: url };
}

async function send(url: string, path: string, init: RequestInit): Promise<Answer> {
  const response = await request(url, path, init);
  const text = await response.text();
  return { status: response.status, body: parseJson(text, text) };
}

async function request(url: string, path: string, init: RequestInit): Promise<Response> {
  const once = () =>
    fetch(`${url}${path}`, {
      ...init,
      // Without this header, Superset returns errors as HTML.
      headers: { ...init.headers, Accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  try {
    // A read is repeated, because the server may close an idle connection during a request.
    const isRead = (init.method ?? "GET") === "GET";
    return await once().catch((error) => (isRead ? once() : Promise.reject(error)));
  } catch (error) {
    throw new UserError(`Superset at ${url} cannot be reached: ${reasonOf(error)}`, NEXT);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}

/** Validates an answer. @throws Error if it is not as Superset documents it */
function read<T>(schema: z.ZodType<T>, { status, body }: Answer, what: string): T {
  const result = schema.safeParse(body);
  if (status < 300 && result.success) return result.data;
  throw new Error(`Superset's answer to ${what} was ${status}: ${refusal(body)}`);
}

const errorsSchema = z.object({
  errors: z.array(z.object({ message: z.string(), extra: z.unknown().optional() })),
});

export function refusal(body: unknown): string {
  const listed = errorsSchema.safeParse(body);
  if (listed.success) {
    return listed.data.errors.map(({ message, extra }) => `${message}${detail(extra)}`).join("; ");
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.slice(0, 500);
}

function detail(extra: unknown): string {
  const { issue_codes: _, ...rest } = z.record(z.string(), z.unknown()).catch({}).parse(extra);
  return Object.keys(rest).length === 0 ? "" : ` (${JSON.stringify(rest).slice(0, 500)})`;
}
