/** Databases of the pipeline, lowest first. */
export const LAYERS = ["stg", "ods", "dds", "dm"] as const;
