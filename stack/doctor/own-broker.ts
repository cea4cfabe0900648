import { checkAnswer } from "../answers.ts";
import { settingHint } from "../make-hints.ts";
import { type DoctorContext, type Finding, fail, ok } from "./check.ts";

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
    const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))];
    const reason = await checkAnswer(host, port, "kafka");
    return reason === undefined
      ? ok(CHECK, `${address} answers`)
      : fail(
          CHECK,
          `${address} does not answer as Kafka: ${reason}`,
          settingHint(stack, "broker.bootstrap", "its address"),
        );
  });
  return Promise.all(findings);
}
