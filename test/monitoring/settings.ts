/** What the pipeline that monitoring is tested and drawn over is configured to do. */
export const GENERATOR_SETTINGS = {
  GEN_TICK_SECONDS: "1",
  GEN_LAMBDA_BASE_PER_MIN: "600",
  GEN_MODEL_T0: "now",
  GEN_DEFECTS: "malformed=0.05,late=0.02,bad_geo=0.05",
} as const;

/** A busy machine may take its time; Airflow's recorded runs end every 20 seconds. */
export const PICTURE_PACE = { scrapeSeconds: 5, airflowSeconds: 20 } as const;

/** All that decides what the pictures of the dashboards show, beside their pages and their drawing. */
export const PICTURE_SETTINGS = { generator: GENERATOR_SETTINGS, pace: PICTURE_PACE } as const;
