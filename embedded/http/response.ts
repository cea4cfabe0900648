import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { Encoding } from "./encodings.ts";
import { exceptionText, type ServerException } from "./errors.ts";
import type { Summary } from "./execute.ts";
import type { Encoder } from "./lz4-encoder.ts";
import type { Transport } from "./parameters.ts";
import { discard, type Spool } from "./spool.ts";
import { httpStatus } from "./status.ts";

/** Timeout for a client that does not read, ms; then the slot becomes free. */
const SEND_TIMEOUT_MS = 60_000;
/** Time for a client to read the error before the connection closes, ms. */
const LAST_WORDS_MS = 5_000;
const EXCEPTION_MARKER = "__exception__";

export interface ResponseOptions {
  readonly transport: Transport;
  readonly encoding: Encoding | undefined;
  readonly version: string;
  readonly spool: Spool;
  readonly signal: AbortSignal;
  readonly tag: string;
}

/** Response that buffers the first bytes, so that an early error can set the status. */
export class QueryResponse {
  readonly #response: ServerResponse;
  readonly #options: ResponseOptions;
  readonly #startedAt = performance.now();
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #file: WriteStream | undefined;
  #encoder: Encoder | undefined;

  constructor(response: ServerResponse, options: ResponseOptions) {
    this.#response = response;
    this.#options = options;
  }

  async write(bytes: Uint8Array, summary: Summary): Promise<void> {
    if (this.#response.headersSent) return this.#send(this.#sink, bytes);
    if (this.#file) return this.#send(this.#file, bytes);
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    const { transport, spool } = this.#options;
    if (this.#heldBytes <= transport.bufferSize) return;
    if (transport.waitEnd) await this.#moveToFile(spool.path());
    else await this.#start(summary);
  }

  async end(summary: Summary): Promise<void> {
    if (!this.#response.headersSent) {
      const whole = this.#file === undefined && this.#options.encoding === undefined;
      if (whole) this.#response.setHeader("Content-Length", this.#heldBytes);
      await this.#start(summary);
    }
    if (this.#file) await this.#sendFile(this.#file);
    this.#sink.end();
    if (!this.#response.writableFinished) {
      await once(this.#response, "finish", { signal: this.#deadline() });
    }
  }

  async abandon(): Promise<void> {
    this.#response.destroy();
    await this.#dropFile();
  }

  /** Sends status and text of an error, or ClickHouse's exception block after rows. */
  async fail(error: ServerException): Promise<void> {
    await this.#dropFile();
    const text = exceptionText(error, this.#options.version);
    if (this.#response.headersSent) return this.#breakOff(text);
    this.#held = [];
    const body = await this.#encoded(`${text}\n`);
    this.#response.writeHead(httpStatus(error.code), {
      "Content-Type": "text/plain; charset=UTF-8",
      "Content-Length": body.length,
      "X-ClickHouse-Exception-Code": error.code,
    });
    this.#response.end(body);
  }

  /** Encodes an error like the result, because the client decompresses both. */
  async #encoded(text: string): Promise<Buffer> {
    if (this.#options.encoding === undefined) return Buffer.from(text);
    const encoder = this.#createEncoder(this.#options.encoding);
    encoder.end(text);
    return Buffer.concat(await encoder.toArray());
  }

  get #sink(): Writable {
    return this.#encoder ?? this.#response;
  }

  async #start(summary: Summary): Promise<void> {
    const { encoding } = this.#options;
    this.#response.setHeader("X-ClickHouse-Summary", this.#summaryText(summary));
    if (encoding !== undefined) {
      this.#encoder = this.#createEncoder(encoding);
      this.#encoder.pipe(this.#response);
    }
    this.#response.writeHead(200);
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) await this.#send(this.#sink, bytes);
  }

  #createEncoder(encoding: Encoding): Encoder {
    if (encoding.name !== undefined) this.#response.setHeader("Content-Encoding", encoding.name);
    return encoding.create();
  }

  async #send(sink: Writable, bytes: Uint8Array): Promise<void> {
    if (this.#options.signal.aborted) throw this.#options.signal.reason;
    if (!sink.write(bytes)) await once(sink, "drain", { signal: this.#deadline() });
  }

  async #moveToFile(path: string): Promise<void> {
    this.#file = createWriteStream(path);
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) await this.#send(this.#file, bytes);
  }

  async #sendFile(file: WriteStream): Promise<void> {
    file.end();
    await once(file, "close");
    for await (const bytes of createReadStream(String(file.path), { highWaterMark: 1 << 20 })) {
      await this.#send(this.#sink, bytes);
    }
    await this.#dropFile();
  }

  async #dropFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file) await discard(file);
  }

  /** Ends the connection without the last chunk, so that the result is visibly incomplete. */
  async #breakOff(text: string): Promise<void> {
    const { tag } = this.#options;
    const length = Buffer.byteLength(text) + 1;
    const block =
      `\r\n${EXCEPTION_MARKER}\r\n${tag}\r\n${text}\n` +
      `${length} ${tag}\r\n${EXCEPTION_MARKER}\r\n`;
    const encoder = this.#encoder;
    if (encoder) {
      // Flushes, because clients look for the exception block in a separate chunk.
      await this.#flush(encoder);
      encoder.unpipe(this.#response);
      encoder.end(block);
      this.#response.write(Buffer.concat(await encoder.toArray()));
    } else {
      this.#response.write(block);
    }
    const { socket } = this.#response;
    if (encoder) setTimeout(() => socket?.end(), LAST_WORDS_MS).unref();
    else socket?.end();
  }

  #flush(encoder: Encoder): Promise<void> {
    const deadline = this.#deadline();
    return new Promise((resolve) => {
      // An already aborted signal fires no event.
      if (deadline.aborted) return resolve();
      deadline.addEventListener("abort", () => resolve());
      encoder.flush(resolve);
    });
  }

  #deadline(): AbortSignal {
    return AbortSignal.any([this.#options.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
  }

  #summaryText(summary: Summary): string {
    const elapsed_ns = Math.round((performance.now() - this.#startedAt) * 1e6);
    const counters = Object.entries({ ...summary, elapsed_ns });
    return JSON.stringify(Object.fromEntries(counters.map(([key, n]) => [key, String(n)])));
  }
}
