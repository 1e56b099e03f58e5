import { useEffect, useState } from "react";
import { listLimits } from "../../contract/listing.ts";

const PAUSE_MS = 120;

/** The text, after a pause in typing. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The text as `q` of a list, after a pause in typing. */
export function useSearchText(text: string): string {
  const words = text.trim().split(/\s+/).slice(0, listLimits.searchWords);
  return useSettled(words.join(" ").slice(0, listLimits.searchCharacters));
}
