import type { Chart } from "../model.ts";
import type { Dashboard } from "./dashboard.ts";
import { overview } from "./overview.ts";

export const dashboards: readonly Dashboard[] = [overview];
export const allCharts: readonly Chart[] = dashboards.flatMap(({ charts }) => charts);
