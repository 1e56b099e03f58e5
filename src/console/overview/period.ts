import { useState } from "react";
import { loadPreference, savePreference } from "../lib/preferences.ts";

/** How many days charts show. */
export const periods = ["7", "30", "90", "365"] as const;
export type Period = (typeof periods)[number];

const PREFERENCE = "roster.period";

/** The chosen period. The browser remembers it. */
export function usePeriod(): [Period, (period: Period) => void] {
  const [period, setPeriod] = useState<Period>(() => {
    const saved = loadPreference(PREFERENCE);
    return periods.find((choice) => choice === saved) ?? "30";
  });
  const choose = (chosen: Period) => {
    savePreference(PREFERENCE, chosen);
    setPeriod(chosen);
  };
  return [period, choose];
}
