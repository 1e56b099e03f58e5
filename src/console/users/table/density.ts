import { useState } from "react";
import { loadPreference, savePreference } from "../../lib/preferences.ts";

/** Heights of rows in pixels. */
export const rowHeights = { comfortable: 52, compact: 40 } as const;
export type Density = keyof typeof rowHeights;
const KEY = "roster-density";

/** The height of rows. The browser remembers it. */
export function useDensity(): [Density, (density: Density) => void] {
  const [density, setDensity] = useState<Density>(() =>
    loadPreference(KEY) === "compact" ? "compact" : "comfortable",
  );
  const choose = (next: Density) => {
    savePreference(KEY, next);
    setDensity(next);
  };
  return [density, choose];
}
