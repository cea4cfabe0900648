import { createServer, type RequestListener } from "node:http";
import { UserError } from "../../contract/errors.ts";

export interface HttpEndpoint {
  readonly port: number;
  close(): Promise<void>;
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** Variable that sets the port. */
  readonly variable: string;
}

/** Starts an HTTP server. @throws UserError if the port is not available */
export async function listen(
  { host, port, variable }: Place,
  onRequest: RequestListener,
): Promise<HttpEndpoint> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve, reject) => {
    server.once("error", ({ message }) => {
      const hint = `set ${variable} to another port (0: any)`;
      reject(new UserError(`HTTP cannot listen on ${host}:${port}: ${message}`, hint));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
