import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { explainFailure, openBroker } from "../../kafka/client.ts";
import { requireEpoch, requireTopics } from "../../kafka/epoch.ts";
import type { GeneratorConfig } from "../config.ts";
import type { Outcome } from "../operations/context.ts";
import type { Decision, Operation, OperationStep } from "../operations/decision.ts";
import { isOfLoadsOnly } from "../operations/instance.ts";
import {
  type OperationContext,
  type OperationRequest,
  type PreparedOperation,
  prepareOperation,
  runOperation,
} from "../operations/operation.ts";
import type { Log } from "./log.ts";
import type { Monitor } from "./monitor.ts";
import { AFTER_LOAD, Conflict, type ServiceState } from "./state.ts";

export interface ServiceOptions {
  readonly connection: BrokerConnection;
  readonly instance: string;
  readonly env: OperationContext["env"];
  readonly monitor: Monitor;
  readonly log: Log;
  readonly config: Pick<GeneratorConfig, "enabled" | "runMode">;
  readonly onFatal: (error: UserError) => void;
}

const ASK_AGAIN = "run make urls to see whether Kafka answers, then retry";
const GO_ON = "run make generator-restart to resume from the stored state";

interface Work {
  readonly controller: AbortController;
  readonly end: Promise<void>;
}

interface Begun {
  readonly request: OperationRequest;
  readonly steps: readonly OperationStep[];
}

export class GeneratorService {
  readonly #options: ServiceOptions;
  #client: Admin | undefined;
  #state: ServiceState = { kind: "starting", reason: "" };
  #work: Work | undefined;
  #isPreparing = false;
  #latest: Begun | undefined;
  /** True if the deletions of the latest request are complete. */
  #isCleared = false;
  #isClosing = false;
  #isOwn = false;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  get state(): ServiceState {
    return this.#state;
  }

  /** Connects to Kafka. @throws UserError if the broker is unreachable or a topic is missing */
  connect(): Promise<Admin> {
    return this.#asking(async () => {
      const client = this.#client ?? (await openBroker(this.#options.connection, "generator"));
      this.#client = client;
      await requireTopics(client);
      await requireEpoch(client);
      return client;
    });
  }

  standBy(reason: string): void {
    this.#state = { kind: "standby", reason };
  }

  /** Decides about a request; changes nothing. @throws UserError as `prepareOperation`, BrokerError */
  async consider(request: OperationRequest): Promise<Decision> {
    const place = await this.#place();
    return (await this.#asking(() => prepareOperation(place, request))).decision;
  }

  /** Starts an operation in the background. @throws Conflict, or errors of `consider` */
  async start(request: OperationRequest): Promise<Decision> {
    return (await this.#start(request, false)).decision;
  }

  /** Starts the configured operation; a failure ends the process. @param reset clears the state first */
  async startOwn(reset: boolean): Promise<Decision> {
    const operation = await this.#ownOperation(reset);
    const prepared = await this.#start({ operation, reset }, true);
    const { decision } = prepared;
    if (decision.action === "done") this.#state = { kind: "finished", reason: decision.reason };
    if (decision.action === "refuse") {
      const { reason, hint } = decision;
      this.#state = { kind: "refused", reason, hint };
    }
    return operation === "live" ? this.#standByAfterLoad(prepared) : decision;
  }

  /** Returns the operation of the configuration; an empty environment needs no confirmation. */
  async #ownOperation(reset: boolean): Promise<Operation> {
    const { runMode } = this.#options.config;
    if (runMode !== "backfill-then-live") return runMode;
    const isEmpty = await this.#findsEmpty({ operation: "clean_start", reset });
    return isEmpty ? "clean_start" : "live";
  }

  /** True if a clean start needs no confirmation; its history may still be too large. */
  async #findsEmpty(cleanStart: OperationRequest): Promise<boolean> {
    const decision = await this.consider(cleanStart);
    return decision.action === "refuse" ? decision.maxEvents !== undefined : true;
  }

  /** Waits in standby if only loads have written to the topics; returns how to publish again. */
  #standByAfterLoad({ decision, instance }: PreparedOperation): Decision {
    if (decision.action !== "refuse" || !isOfLoadsOnly(instance)) return decision;
    const reason = `a load filled the topics (${instance.others.join(", ")})`;
    this.#state = { kind: "standby", reason, hint: AFTER_LOAD };
    return { action: "refuse", reason: `The generator is in standby: ${reason}`, hint: AFTER_LOAD };
  }

  async pause(): Promise<void> {
    if (!this.#work)
      throw new Conflict(`No operation is running (${this.#state.kind})`, "see GET /status");
    const work = this.#work;
    work.controller.abort();
    await work.end;
    if (this.#state.kind === "failed") throw new Conflict(this.#state.reason, this.#state.hint);
  }

  /** Lets the generator publish: resumes a paused operation, or else starts the configured one. */
  async resume(): Promise<Decision> {
    const state = this.#state;
    if (state.kind === "running") {
      const { operation, step, reason } = state;
      const at = step === null || step === operation ? "" : ` (${step})`;
      return { action: "run", steps: [], reason: `${operation} is running${at}: ${reason}` };
    }
    if (state.kind === "paused" && this.#latest) {
      const rest = await this.#rest(this.#latest);
      return this.#standByAfterLoad(await this.#start(rest, this.#isOwn));
    }
    // The decision about live events has the reason and the hint.
    if (!this.#options.config.enabled) return this.consider({ operation: "live" });
    return this.startOwn(false);
  }

  /** Returns the remaining request, which must not repeat completed deletions. */
  async #rest({ request, steps }: Begun): Promise<OperationRequest> {
    const { operation, tEnd, dataset, chosen, maxEvents } = request;
    if (!this.#isCleared) return request;
    const again: OperationRequest = { operation, tEnd, dataset, chosen, maxEvents };
    if (operation === "import") return again;
    const start: OperationRequest = { ...again, operation: "clean_start" };
    const startsOver =
      operation === "clean_start" ||
      (this.#isOwn && this.#options.config.runMode === "backfill-then-live");
    if (startsOver && (await this.#findsEmpty(start))) return start;
    return { operation: steps.includes("live") ? "live" : "backfill", tEnd, chosen };
  }

  async finished(): Promise<void> {
    await this.#work?.end;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#work?.controller.abort();
    await this.#work?.end;
    await this.#client?.close();
  }

  async #asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw await explainFailure(error, this.#options.connection, ASK_AGAIN);
    }
  }

  async #place(): Promise<OperationContext> {
    const { connection, instance, env, monitor } = this.#options;
    return { client: await this.connect(), connection, instance, env, watcher: monitor };
  }

  async #start(request: OperationRequest, isOwn: boolean): Promise<PreparedOperation> {
    this.#requireFree();
    this.#isPreparing = true;
    try {
      const place = await this.#place();
      const prepared = await this.#asking(() => prepareOperation(place, request));
      if (prepared.decision.action === "run") {
        this.#isOwn = isOwn;
        this.#begin(place, prepared);
      }
      return prepared;
    } finally {
      this.#isPreparing = false;
    }
  }

  #requireFree(): void {
    if (this.#state.kind === "running") {
      throw new Conflict(`${this.#state.operation} is running`, "pause that operation first");
    }
    if (this.#isPreparing)
      throw new Conflict(
        "Another request is being processed",
        "wait for the end of that request, then retry",
      );
  }

  #begin(place: OperationContext, prepared: PreparedOperation): void {
    const { request, decision } = prepared;
    this.#latest = { request, steps: decision.action === "run" ? decision.steps : [] };
    this.#isCleared = false;
    const controller = new AbortController();
    const { operation } = request;
    const { reason } = decision;
    const note = (step: OperationStep | null) => {
      this.#state = { kind: "running", operation, step, reason, since: Date.now() };
    };
    note(null);
    this.#options.log.info(`${operation} begins`, { reason });
    const onStep = (step: OperationStep) => {
      note(step);
      if (step !== "wipe" && step !== "begin_epoch") this.#isCleared = true;
      this.#options.log.info(`step ${step}`);
    };
    const work = runOperation(place, prepared, { signal: controller.signal, onStep });
    this.#work = { controller, end: this.#watch(work, operation) };
  }

  async #watch(work: Promise<Outcome>, operation: string): Promise<void> {
    const { log } = this.#options;
    try {
      const outcome = await this.#asking(() => work);
      if (outcome === "stopped") this.#pausedBy(`${operation} ${outcome}`);
      else this.#state = { kind: "finished", reason: `${operation} ${outcome}` };
      log.info(`${operation} ${outcome}`);
    } catch (error) {
      this.#fail(error as Error, operation);
    } finally {
      this.#work = undefined;
    }
  }

  /** Sets the state to paused, except at the end of the process, which alerts must detect. */
  #pausedBy(reason: string): void {
    if (!this.#isClosing) this.#state = { kind: "paused", reason };
  }

  #fail(error: Error, operation: string): void {
    const { log, onFatal } = this.#options;
    if (error.name === "AbortError") {
      this.#pausedBy(`${operation} stopped while the broker was unreachable`);
      return;
    }
    const wasLive = this.#state.kind === "running" && this.#state.step === "live";
    const isForeseen = error instanceof UserError;
    const hint = (isForeseen && error.hint) || GO_ON;
    const reason = `${operation} failed: ${error.message}`;
    this.#state = { kind: "failed", reason, hint };
    log.error(reason, isForeseen ? { hint } : { hint, stack: error.stack });
    // Ends the process, because a restart decides the operation again.
    if (wasLive || this.#isOwn) onFatal(new UserError(reason, hint));
  }
}
