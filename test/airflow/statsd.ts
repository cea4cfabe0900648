import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** Takes what Airflow sends by StatsD, in the place of statsd_exporter. */
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

  /** One line of each name, by name: the last; of a counter, the one that counted most. */
  lines(): string[] {
    return [...this.#lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  /** A task begins by counting zero for every state it may end in: that hides no end. */
  #take(line: string): void {
    const name = line.slice(0, line.lastIndexOf(":"));
    const former = this.#lines.get(name);
    if (former?.endsWith("|c") && counted(former) > counted(line)) return;
    this.#lines.set(name, line);
  }
}

const counted = (line: string): number => Number.parseFloat(line.slice(line.lastIndexOf(":") + 1));
