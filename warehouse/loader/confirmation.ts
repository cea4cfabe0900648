import { UserError } from "../../contract/errors.ts";
import { requireConsent } from "../../terminal/confirm.ts";

const ASK_ABOVE = 1_000_000;

/** Asks before a large load; YES=1 confirms in advance. @throws UserError without confirmation */
export async function askForLarge(
  dir: string,
  messages: number,
  isOnStack: boolean,
): Promise<void> {
  if (messages <= ASK_ABOVE) return;
  const about = `${dir} has more than 1,000,000 rows`;
  const refusal = new UserError(
    `${about}: a full load needs confirmation. Nothing was loaded`,
    isOnStack
      ? "LIMIT=50 make data (a slice), or YES=1 make data (all of it)"
      : "--limit 50 (a slice), or YES=1 in the environment (all of it)",
  );
  await requireConsent(false, `${about}. Load all of it?`, refusal);
}
