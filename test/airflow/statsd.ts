import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** Receives what Airflow sends by StatsD, in place of statsd_exporter. */
export class StatsdListener {
  readonly port: number;
  readonly #socket: Socket;
  readonly #lines = new Map<string, string>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.port = socket.address().port;
    socket.on("message", (packet) => {
      for (const line of packet.toString().split("\n")) if (line !== "") this.#take(line);
    });
  }

  static async open(): Promise<StatsdListener> {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new StatsdListener(socket);
  }

  /** One line per name and tags: the last one, or for a counter the one with the greatest value. */
  lines(): string[] {
    return [...this.#lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  /**
   * Airflow counts zero for every end state when a task starts, which must not hide the real end.
   */
  #take(line: string): void {
    const name = line.slice(0, line.lastIndexOf(":"));
    const previous = this.#lines.get(name);
    if (previous?.endsWith("|c") && counted(previous) > counted(line)) return;
    this.#lines.set(name, line);
  }
}

const counted = (line: string): number => Number.parseFloat(line.slice(line.lastIndexOf(":") + 1));
