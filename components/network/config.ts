import { z } from "zod";
import { integer, text } from "../shared/config-fields.ts";
import { isLoopback, MAX_OFFSET } from "../shared/names.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Address that means every address of this machine. */
const ANY_ADDRESS = "0.0.0.0";

export const networkConfig = serviceConfig({
  settings: z
    .strictObject({
      bind: z
        .ipv4({ error: `must be an IPv4 address like 127.0.0.1 or ${ANY_ADDRESS}` })
        .default("127.0.0.1")
        .describe("Address of this machine that published ports listen on"),
      host: text("a host name or an address", /^[\w.-]+$/)
        .optional()
        .describe("Name or address by which clients reach this machine; Kafka advertises it"),
      portOffset: integer(0, 0, MAX_OFFSET).describe(
        "Added to every published port, so that two stacks can run side by side",
      ),
    })
    .refine(({ bind, host }) => host !== ANY_ADDRESS && (bind !== ANY_ADDRESS || host), {
      path: ["host"],
      error: `must be the name or address by which clients reach this machine: Kafka cannot advertise ${ANY_ADDRESS}`,
    })
    .refine(({ bind, host }) => !isLoopback(bind) || !host || isLoopback(host), {
      path: ["host"],
      error: `needs network.bind to be an address that clients reach, such as ${ANY_ADDRESS}`,
    }),
});

export type NetworkConfig = z.infer<typeof networkConfig.block>;
