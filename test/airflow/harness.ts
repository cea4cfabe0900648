import { describe } from "vitest";
import { missingNeeds } from "./needs.ts";

const missing = missingNeeds();
if (missing.length > 0) console.log(`skipped: the airflow level needs ${missing.join(" and ")}`);

/** `describe`, left out with the reason printed where the machine lacks what Airflow needs. */
export const describeAirflow = describe.skipIf(missing.length > 0);
