import { describe } from "vitest";
import { missingNeeds } from "./needs.ts";

const missing = missingNeeds();
if (missing.length > 0) console.log(`skipped: the airflow level needs ${missing.join(" and ")}`);

/** `describe`, skipped with a printed reason if the machine lacks what Airflow needs. */
export const describeAirflow = describe.skipIf(missing.length > 0);
