import { findChromium } from "../../scripts/chromium.ts";

/** Lists missing requirements of the page level; empty if it can run. */
export function missingNeeds(): string[] {
  try {
    findChromium();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
