import { useEffect, useEffectEvent } from "react";
import { Observable, useObservable } from "./observable.ts";

type Creatable = "key" | "webhook";

/** What the person wants to create: the view of it opens its form. */
const requested = new Observable<Creatable | undefined>(undefined);

/** Opens the form for a new key or webhook. The caller goes to its view. */
export function requestCreation(what: Creatable): void {
  requested.set(what);
}

/** Opens the form when it is requested, also before the view was shown. */
export function useCreationRequest(what: Creatable, open: () => void): void {
  const isRequested = useObservable(requested) === what;
  const openForm = useEffectEvent(open);
  useEffect(() => {
    if (!isRequested) return;
    requested.set(undefined);
    openForm();
  }, [isRequested]);
}
