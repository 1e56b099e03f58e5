import { useState } from "react";
import { loadPreference, savePreference } from "../../lib/preferences.ts";

/** Heights of rows in pixels. */
export const rowHeights = { compact: 40, comfortable: 52 } as const;
export type Density = keyof typeof rowHeights;
const KEY = "roster-density";

/** The height of rows: compact, unless a person chooses the other one. The browser remembers it. */
export function useDensity(): [Density, (density: Density) => void] {
  const [density, setDensity] = useState<Density>(() =>
    loadPreference(KEY) === "comfortable" ? "comfortable" : "compact",
  );
  const choose = (next: Density) => {
    savePreference(KEY, next);
    setDensity(next);
  };
  return [density, choose];
}
