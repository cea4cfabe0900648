import { UserError } from "../contract/errors.ts";

export interface SchedulerAddress {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface DagRun {
  readonly dag_run_id: string;
  readonly state: "queued" | "running" | "success" | "failed";
  /** Start of the run; null before the start. */
  readonly start_date: string | null;
  readonly end_date: string | null;
}

export interface TaskInstance {
  readonly task_id: string;
  /** State of the task; null before the task is scheduled. */
  readonly state: string | null;
  readonly try_number: number;
  readonly start_date: string | null;
  /** Duration, seconds. */
  readonly duration: number | null;
}

/** Line of a task's log. */
export interface LogEntry {
  readonly timestamp?: string;
  readonly level?: string;
  readonly event: string;
  /** Name of the file that wrote the line. */
  readonly filename?: string;
  /** Exceptions of the line, the raised one first. */
  readonly error_detail?: readonly { readonly exc_value: string }[];
}

/** Parameters that Airflow refuses; a list for a body of the wrong shape. */
interface Problem {
  readonly detail: string | readonly object[];
}

const TIMEOUT_MS = 30_000;
/** Key with which tasks store their notes (airflow/dags/event_pipeline/command.py). */
const NOTE = "note";

/** Error for a scheduler that does not answer; runs may continue. */
export class SchedulerUnavailable extends UserError {}

export class SchedulerClient {
  readonly #address: SchedulerAddress;
  #token: Promise<string> | undefined;

  constructor(address: SchedulerAddress) {
    this.#address = address;
  }

  async dags(): Promise<{ dag_id: string; is_paused: boolean; description: string | null }[]> {
    const { dags } = await this.#ask<{ dags: Awaited<ReturnType<SchedulerClient["dags"]>> }>(
      "GET",
      "/dags",
    );
    return dags;
  }

  async isPaused(dag: string): Promise<boolean> {
    return (await this.#ask<{ is_paused: boolean }>("GET", dagPath(dag))).is_paused;
  }

  async setPaused(dag: string, isPaused: boolean): Promise<void> {
    await this.#ask("PATCH", dagPath(dag), { is_paused: isPaused });
  }

  /** Starts a run. @throws UserError with Airflow's message if a parameter is not allowed */
  trigger(dag: string, conf: object): Promise<DagRun> {
    return this.#ask("POST", `${dagPath(dag)}/dagRuns`, { conf, logical_date: null });
  }

  run(dag: string, run: string): Promise<DagRun> {
    return this.#ask("GET", runPath(dag, run));
  }

  async tasks(dag: string, run: string): Promise<TaskInstance[]> {
    const path = `${runPath(dag, run)}/taskInstances`;
    return (await this.#ask<{ task_instances: TaskInstance[] }>("GET", path)).task_instances;
  }

  async log(dag: string, run: string, { task_id, try_number }: TaskInstance): Promise<LogEntry[]> {
    const path = `${runPath(dag, run)}/taskInstances/${encodeURIComponent(task_id)}/logs/${Math.max(1, try_number)}`;
    return (await this.#ask<{ content: LogEntry[] }>("GET", `${path}?full_content=true`)).content;
  }

  result(dag: string, run: string, task: string): Promise<unknown> {
    return this.#xcom(dag, run, task, "return_value");
  }

  /** Returns what tasks report to the user, such as a paused generator. */
  async notes(dag: string, run: string): Promise<string[]> {
    const path = `${runPath(dag, run)}/taskInstances/~/xcomEntries?xcom_key=${NOTE}`;
    const { xcom_entries: entries } = await this.#ask<{ xcom_entries: { task_id: string }[] }>(
      "GET",
      path,
    );
    const texts = entries.map(({ task_id }) => this.#xcom(dag, run, task_id, NOTE));
    return (await Promise.all(texts)).map(String);
  }

  async #xcom(dag: string, run: string, task: string, key: string): Promise<unknown> {
    const entry = `taskInstances/${encodeURIComponent(task)}/xcomEntries/${key}`;
    return (await this.#ask<{ value: unknown }>("GET", `${runPath(dag, run)}/${entry}`)).value;
  }

  async clear(dag: string, run: string): Promise<void> {
    await this.#ask("POST", `${runPath(dag, run)}/clear`, { dry_run: false });
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    this.#token ??= this.#login();
    const token = await this.#token.catch((error) => {
      this.#token = undefined;
      throw error;
    });
    return this.#send<T>(method, `/api/v2${path}`, body, { authorization: `Bearer ${token}` });
  }

  async #login(): Promise<string> {
    const { user: username, password } = this.#address;
    const body = { username, password };
    return (await this.#send<{ access_token: string }>("POST", "/auth/token", body)).access_token;
  }

  async #send<T>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const { url } = this.#address;
    let response: Response;
    try {
      response = await fetch(new URL(path, url), {
        method,
        headers: { ...headers, accept: "application/json", "content-type": "application/json" },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new SchedulerUnavailable(
        `The scheduler at ${url} does not answer: ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}`,
        "run make logs SERVICE=airflow-api-server to see the reason, or set AIRFLOW_URL to another address",
      );
    }
    if (response.ok) return (await response.json()) as T;
    throw await this.#explain(response, path);
  }

  async #explain(response: Response, path: string): Promise<UserError> {
    const { status } = response;
    if (status === 401 || status === 403) {
      return new UserError(
        `The scheduler at ${this.#address.url} rejects the password of user ${this.#address.user}`,
        "set AIRFLOW_USER and AIRFLOW_PASSWORD (make urls prints the command that shows the password)",
      );
    }
    const text = await response.text();
    const detail = detailOf(text);
    if (status >= 500) {
      return new SchedulerUnavailable(
        `The scheduler at ${this.#address.url} cannot answer (${status}): ${detail}`,
        "run make logs SERVICE=airflow-api-server to see the reason",
      );
    }
    if (status === 404 && path.startsWith("/api/v2/dags/")) {
      const known = (await this.dags()).map(({ dag_id }) => dag_id).join(", ");
      return new UserError(`${detail || "Not found"}. Allowed: ${known || "none yet"}`, NEXT_LIST);
    }
    return new UserError(`The scheduler refused the request (${status}): ${detail}`, NEXT_LIST);
  }
}

const NEXT_LIST =
  "run pipeline dag list to see the DAGs; Airflow's page of a DAG shows the parameters";

const dagPath = (dag: string): string => `/dags/${encodeURIComponent(dag)}`;
const runPath = (dag: string, run: string): string =>
  `${dagPath(dag)}/dagRuns/${encodeURIComponent(run)}`;

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as Problem;
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return text.slice(0, 200);
  }
}
