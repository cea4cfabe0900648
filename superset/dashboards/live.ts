import * as charts from "../charts/live.ts";
import { liveMinutes, liveNow } from "../datasets.ts";
import { at, dashboard } from "./dashboard.ts";

/** The last minutes, before any load. */
export const live = dashboard({
  title: "Live",
  slug: "live",
  about:
    "The last 30 minutes, straight from stg; the other dashboards have them after the next load",
  refreshSeconds: 10,
  sections: [
    {
      title: "What happens now",
      rows: [
        {
          height: 22,
          places: [
            at(3, charts.activeVisitors),
            at(3, charts.recentPageEvents),
            at(3, charts.recentPurchases),
            at(3, charts.recentRejected),
          ],
        },
        { height: 42, places: [at(12, charts.minuteByMinute)] },
        { height: 48, places: [at(6, charts.currentPages), at(6, charts.currentSources)] },
        { height: 20, places: [at(12, charts.liveAges)] },
      ],
    },
  ],
  filters: [],
  hasCrossFilters: true,
  unfiltered: [liveMinutes, liveNow],
});
