import { sessions } from "../datasets.ts";
import { assetId } from "../identity.ts";
import type { Dataset } from "../model.ts";

/** Prefix of filter ids, where Superset generates 21 random characters. */
export const FILTER_PREFIX = "NATIVE_FILTER-bi-init-";

export type Filter = ReturnType<typeof dateFilter> | ReturnType<typeof selectFilter>;

const NOTHING_CHOSEN = { extraFormData: {}, filterState: {}, ownState: {} };

/** @param excluded datasets without a time */
export const dateFilter = (excluded: readonly Dataset[], description: string) => ({
  id: `${FILTER_PREFIX}date`,
  type: "NATIVE_FILTER",
  filterType: "filter_time",
  name: "Date",
  description: `Days and hours of the site's clock. ${description}`,
  targets: [{}],
  controlValues: { enableEmptyFilter: false },
  defaultDataMask: NOTHING_CHOSEN,
  cascadeParentIds: [],
  excluded,
});

interface SelectOptions {
  readonly key: string;
  readonly name: string;
  readonly column: string;
  readonly description: string;
  /** Datasets without the column. */
  readonly excluded: readonly Dataset[];
}

/** A filter by values of a column of dm.session. */
export const selectFilter = ({ key, name, column, description, excluded }: SelectOptions) => ({
  id: `${FILTER_PREFIX}${key}`,
  type: "NATIVE_FILTER",
  filterType: "filter_select",
  name,
  description,
  targets: [{ column: { name: column }, datasetUuid: assetId("dataset", sessions.table) }],
  controlValues: {
    enableEmptyFilter: false,
    multiSelect: true,
    defaultToFirstItem: false,
    inverseSelection: false,
    searchAllOptions: false,
  },
  sortMetric: "sessions",
  defaultDataMask: NOTHING_CHOSEN,
  cascadeParentIds: [],
  excluded,
});
