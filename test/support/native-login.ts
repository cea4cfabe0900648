import { once } from "node:events";
import { connect } from "node:net";

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

/** A greeting of the native protocol by a client of version 24.1 and revision 54460. */
export const nativeGreeting = (user: string, password: string): Buffer =>
  Buffer.concat([
    Buffer.from([0]),
    text("x"),
    Buffer.from([24, 1, 0xbc, 0xa9, 0x03]),
    ...["", user, password].map(text),
  ]);

/** Logs in with the native protocol. @returns whether the server greets, or refuses */
export async function nativeLogin(
  port: number,
  user: string,
  password: string,
): Promise<"greets" | "refuses"> {
  const client = connect(port, "127.0.0.1");
  client.write(nativeGreeting(user, password));
  const [answer] = (await once(client, "data")) as [Buffer];
  client.destroy();
  return answer[0] === 0 ? "greets" : "refuses";
}
