import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const WITHIN_MS = 5_000;
const LATE = `no answer within ${WITHIN_MS / 1000} s`;
const REFUSED = "nothing listens there";
const CLOSED = "the connection was closed without an answer";
const OTHER = "another protocol answers";

/** Requests a page. @returns why there is none, or undefined */
export async function checkPage(url: string): Promise<string | undefined> {
  try {
    const options = { headers: { connection: "close" }, signal: AbortSignal.timeout(WITHIN_MS) };
    const { status, body } = await fetch(url, options);
    await body?.cancel();
    return status < 400 ? undefined : `HTTP status ${status}`;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Asks for the versions of Kafka's protocol, which needs no login; first in plain text, then over
 * TLS. @returns why there is no answer, or undefined
 */
export async function checkKafka(host: string, port: number): Promise<string | undefined> {
  const plain = await exchange(connect(port, host), API_VERSIONS, isApiVersions);
  if (plain !== CLOSED && plain !== OTHER) return plain;
  // The check of the certificate belongs to the clients, which have the authority.
  const name = isIP(host) ? {} : { servername: host };
  const socket = connectTls({ port, host, ...name, rejectUnauthorized: false });
  const overTls = await exchange(socket, API_VERSIONS, isApiVersions);
  return overTls === undefined ? undefined : plain;
}

const CORRELATION_ID = 0x65_76_74_73;

/** Request ApiVersions, version 0: size, key 18, version, correlation id, no client id. */
const API_VERSIONS = Buffer.alloc(14);
API_VERSIONS.writeInt32BE(10, 0);
API_VERSIONS.writeInt16BE(18, 4);
API_VERSIONS.writeInt32BE(CORRELATION_ID, 8);
API_VERSIONS.writeInt16BE(-1, 12);

const isApiVersions = (data: Buffer): boolean =>
  data.length >= 8 && data.readInt32BE(4) === CORRELATION_ID;

function exchange(
  socket: Socket,
  request: Buffer,
  isAnswer: (data: Buffer) => boolean,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (reason?: string) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(WITHIN_MS, () => end(LATE));
    socket.once("data", (data) => end(isAnswer(data) ? undefined : OTHER));
    socket.once("end", () => end(CLOSED));
    socket.once("error", (error) => end(reasonOf(error)));
    socket.write(request);
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: REFUSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
};

/** Returns a reason; `fetch` has the error of the connection as its cause. */
function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError") return LATE;
  if (cause) return reasonOf(cause);
  return REASONS[code ?? ""] ?? message;
}
