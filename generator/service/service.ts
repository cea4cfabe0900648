import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { openBroker } from "../adapters/kafka-client.ts";
import { requireEpoch, requireTopics } from "../adapters/kafka-epoch.ts";
import type { Outcome } from "../operations/context.ts";
import type { Decision } from "../operations/decide.ts";
import {
  carryOut,
  type OperationRequest,
  type Prepared,
  prepare,
  type Workplace,
} from "../operations/operate.ts";
import type { Step } from "../operations/wish.ts";
import type { Log } from "./log.ts";
import type { Monitor } from "./monitor.ts";

export interface ServiceOptions {
  readonly connection: BrokerConnection;
  readonly stand: string;
  readonly env: Workplace["env"];
  readonly monitor: Monitor;
  readonly log: Log;
  /** Whether live generation is allowed at all (GEN_ENABLED). */
  readonly enabled: boolean;
  /** Called when the process should end, for whoever restarts it to take a fresh look. */
  readonly onFatal: (error: UserError) => void;
}

/** Why nothing is being written. `refused` and `failed` need somebody's attention. */
type IdleKind = "starting" | "standby" | "paused" | "finished" | "refused" | "failed";

export type ServiceState =
  | { readonly kind: IdleKind; readonly reason: string; readonly next?: string }
  | {
      readonly kind: "running";
      readonly operation: string;
      readonly step: Step | null;
      readonly reason: string;
      /** Wall time at which the step began, ms. */
      readonly since: number;
    };

interface Work {
  readonly controller: AbortController;
  readonly end: Promise<void>;
}

/** Somebody asked for something while another operation runs, or what makes no sense now. */
export class Conflict extends UserError {}

/** Carries out one operation at a time and knows what it is doing. */
export class GeneratorService {
  readonly #options: ServiceOptions;
  #client: Admin | undefined;
  #state: ServiceState = { kind: "starting", reason: "" };
  #work: Work | undefined;
  #isPreparing = false;
  #latest: OperationRequest | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  get state(): ServiceState {
    return this.#state;
  }

  /** @throws UserError when Kafka cannot be reached or a topic is missing */
  async connect(): Promise<Admin> {
    const client = this.#client ?? (await openBroker(this.#options.connection, "generator"));
    this.#client = client;
    await requireTopics(client);
    await requireEpoch(client);
    return client;
  }

  standBy(reason: string): void {
    this.#state = { kind: "standby", reason };
  }

  /** What would come of the request; changes nothing. */
  async consider(request: OperationRequest): Promise<Decision> {
    return (await prepare(await this.#place(), request)).decision;
  }

  /**
   * Decides and, if so decided, begins; the work goes on after this has returned.
   * @throws Conflict while another operation runs; UserError as `prepare`
   */
  async start(request: OperationRequest): Promise<Decision> {
    this.#requireFree();
    this.#isPreparing = true;
    try {
      const place = await this.#place();
      const prepared = await prepare(place, request);
      if (prepared.decision.action === "run") this.#begin(place, prepared);
      return prepared.decision;
    } finally {
      this.#isPreparing = false;
    }
  }

  /** Records what came of the request that the service was started for. */
  settle(decision: Decision): void {
    if (decision.action === "done") this.#state = { kind: "finished", reason: decision.reason };
    if (decision.action !== "refuse") return;
    this.#state = { kind: "refused", reason: decision.reason, next: decision.next };
  }

  /** Stops after the batch under way; `resume` goes on. */
  async pause(): Promise<void> {
    if (!this.#work) throw new Conflict(`Nothing is running (${this.#state.kind})`, "GET /status");
    const work = this.#work;
    work.controller.abort();
    await work.end;
    if (this.#state.kind === "failed") throw new Conflict(this.#state.reason, this.#state.next);
  }

  /** Goes on with what was paused. */
  async resume(): Promise<Decision> {
    if (this.#state.kind !== "paused" || !this.#latest) {
      throw new Conflict(`Nothing is paused (${this.#state.kind})`, "GET /status");
    }
    const { operation, dataset } = this.#latest;
    if (operation === "import") return this.start({ operation, dataset });
    // A clean start has wiped already: what is left of it is a backfill, and live after it.
    const isBackfill = operation === "backfill" || !this.#options.enabled;
    return this.start({ operation: isBackfill ? "backfill" : "live" });
  }

  /** Resolves when nothing runs any more; `state` tells how it ended. */
  async finished(): Promise<void> {
    await this.#work?.end;
  }

  /** Ends the work after the batch under way and leaves the broker. */
  async close(): Promise<void> {
    this.#work?.controller.abort();
    await this.#work?.end;
    await this.#client?.close();
  }

  async #place(): Promise<Workplace> {
    const { connection, stand, env, monitor } = this.#options;
    return { client: await this.connect(), connection, stand, env, watcher: monitor };
  }

  #requireFree(): void {
    if (this.#state.kind === "running") {
      throw new Conflict(`${this.#state.operation} is running`, "pause it first");
    }
    if (this.#isPreparing) throw new Conflict("Another request is being decided", "GET /status");
  }

  #begin(place: Workplace, prepared: Prepared): void {
    const { request, decision } = prepared;
    this.#latest = request;
    const controller = new AbortController();
    const note = (step: Step | null) => {
      const { operation } = request;
      this.#state = {
        kind: "running",
        operation,
        step,
        reason: decision.reason,
        since: Date.now(),
      };
    };
    note(null);
    this.#options.log.info(`${request.operation} begins`, { reason: decision.reason });
    const onStep = (step: Step) => {
      note(step);
      this.#options.log.info(`step ${step}`);
    };
    const work = carryOut(place, prepared, { signal: controller.signal, onStep });
    this.#work = { controller, end: this.#watch(work, request.operation) };
  }

  async #watch(work: Promise<Outcome>, operation: string): Promise<void> {
    const { log } = this.#options;
    try {
      const outcome = await work;
      const kind = outcome === "stopped" ? "paused" : "finished";
      this.#state = { kind, reason: `${operation} ${outcome}` };
      log.info(`${operation} ${outcome}`);
    } catch (error) {
      this.#fail(error as Error, operation);
    } finally {
      this.#work = undefined;
    }
  }

  #fail(error: Error, operation: string): void {
    const { log, onFatal } = this.#options;
    // Waiting for a broker that is away ends like this when it is asked to stop.
    if (error.name === "AbortError") {
      this.#state = { kind: "paused", reason: `${operation} stopped while the broker was away` };
      return;
    }
    const wasLive = this.#state.kind === "running" && this.#state.step === "live";
    const next = error instanceof UserError ? error.next : undefined;
    const reason = `${operation} failed: ${error.message}`;
    this.#state = { kind: "failed", reason, ...(next ? { next } : {}) };
    log.error(reason, next ? { next } : {});
    if (wasLive) onFatal(new UserError(reason, next));
  }
}
