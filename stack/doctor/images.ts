import { type StackConfig, settingsOf } from "../../components/config.ts";
import { endOfLife, hasEnded } from "../../components/shared/end-of-life.ts";
import { type Finding, ok, warn } from "./check.ts";

/** Checks that the vendors still support the images. @param today such as `2026-11-29` */
export function imageFindings(
  config: StackConfig,
  today = new Date().toISOString().slice(0, 10),
): Finding[] {
  const images = new Set(settingsOf("image", config).map(({ value }) => String(value)));
  const ended = [...images].filter((image) => hasEnded(image, today));
  if (ended.length === 0) return [ok("images", "none is past its end of life")];
  return ended.map((image) =>
    warn(
      "images",
      `${image} gets no more repairs since ${endOfLife(image)}`,
      "set a newer image: docs/how-to/upgrade.md",
    ),
  );
}
