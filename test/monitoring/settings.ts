/** Configuration of the pipeline that the tests and the pictures of the dashboards use. */
export const GENERATOR_SETTINGS = {
  GEN_TICK_SECONDS: "1",
  GEN_LAMBDA_BASE_PER_MIN: "600",
  GEN_MODEL_T0: "now",
  GEN_DEFECTS: "malformed=0.05,late=0.02,bad_geo=0.05",
} as const;

/** Generous waits for a busy machine; the recorded Airflow runs repeat every 20 seconds. */
export const PICTURE_PACE = { scrapeSeconds: 5, airflowSeconds: 20 } as const;

/** Inputs of the dashboards' pictures beside the dashboards and the drawing code. */
export const PICTURE_SETTINGS = { generator: GENERATOR_SETTINGS, pace: PICTURE_PACE } as const;
