import { useSyncExternalStore } from "react";

/** Whether the page matches a media query now. */
export function useMediaQuery(query: string): boolean {
  const subscribe = (listener: () => void) => {
    const list = matchMedia(query);
    list.addEventListener("change", listener);
    return () => list.removeEventListener("change", listener);
  };
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
