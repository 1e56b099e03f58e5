import { useSyncExternalStore } from "react";
import { useObservable } from "../lib/observable.ts";
import { isServerReachable } from "../lib/server-status.ts";
import { shell } from "../texts/index.ts";
import { WifiOff } from "../ui/icons.ts";

/** Says that the browser is offline, or that the service does not respond. */
export function ConnectionBanner() {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  const reachable = useObservable(isServerReachable);
  if (online && reachable) return null;
  return (
    <p className="offline" role="status">
      <WifiOff aria-hidden />
      {online ? shell.away : shell.offline}
    </p>
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}
