import type { ReactNode } from "react";
import { importStatus } from "../import/import-status.ts";
import { useObservable } from "../lib/observable.ts";
import type { CurrentSession } from "../lib/session.ts";
import { failures } from "../texts/index.ts";
import { Forbidden } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { viewPaths } from "../view-paths.ts";
import { canUse, type ViewLink } from "./views.ts";

interface ViewGateProps {
  readonly view: ViewLink;
  readonly session: CurrentSession;
  readonly children: ReactNode;
}

/** Shows a view to sessions that can use it, and the missing scope to others. */
export function ViewGate({ view, session, children }: ViewGateProps) {
  // An import that runs needs no new permission: its view shows how it ends.
  const isImporting = useObservable(importStatus) !== undefined && view.path === viewPaths.import;
  if (isImporting || canUse(view, session)) return children;
  return (
    <View name="forbidden" title={view.label}>
      <Forbidden {...failures.forbidden(view.scopes ?? [])} />
    </View>
  );
}
