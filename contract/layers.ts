/** Layers from the lowest to the highest; each is a database. */
export const LAYERS = ["stg", "ods", "dds", "dm"] as const;

/** Database of scratch tables and commits of dm loads, so that dm holds only what analysts read. */
export const DM_INTERNAL = "dm_internal";
export const DATABASES = [...LAYERS, DM_INTERNAL] as const;

export const layerOf = (object: string): string =>
  object.split(".")[0]?.replace(DM_INTERNAL, "dm") ?? "";
