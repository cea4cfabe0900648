import { UserError } from "../../contract/errors.ts";

const TIMEOUT_MS = 10_000;

/** Requests JSON. @throws UserError if the address does not answer or returns an error */
export async function askJson<T>(url: string, init: RequestInit = {}): Promise<T> {
  const answer = await ask(url, init);
  const text = await answer.text();
  if (answer.ok) return (text === "" ? null : JSON.parse(text)) as T;
  throw new UserError(
    `${init.method ?? "GET"} ${url}: ${answer.status} ${text.slice(0, 300)}`,
    "run make doctor; if it finds no problem, run make recover-monitoring",
  );
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message || cause.name : message;
    throw new UserError(`${url} does not answer: ${reason}`, "run make up, then make doctor");
  }
}
