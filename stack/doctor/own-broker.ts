import { settingHint } from "../make-hints.ts";
import { type DoctorContext, type Finding, fail, ok } from "./check.ts";
import { answersAt } from "./tcp.ts";

const CHECK = "broker";

/** Checks that this machine reaches an external broker. Certificate and login need the password. */
export async function ownBrokerFindings({
  stack,
  plan,
}: Pick<DoctorContext, "stack" | "plan">): Promise<Finding[]> {
  const { service, endpoint } = plan.broker;
  if (service) return [];
  const findings = endpoint.host.split(",").map(async (address): Promise<Finding> => {
    const colon = address.lastIndexOf(":");
    const isThere = await answersAt(address.slice(0, colon), Number(address.slice(colon + 1)));
    return isThere
      ? ok(CHECK, `${address} answers`)
      : fail(
          CHECK,
          `nothing answers at ${address}`,
          settingHint(stack, "broker.bootstrap", "its address"),
        );
  });
  return Promise.all(findings);
}
