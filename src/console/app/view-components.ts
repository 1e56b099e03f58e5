import type { FunctionComponent } from "react";
import { lazyComponent } from "../ui/error-boundary.tsx";
import { viewPaths } from "../view-paths.ts";

/**
 * What the views show, by their paths. Apart from the entries of the navigation: the palette knows these, and is loaded by views. The
 * users view is not here: it is in the main bundle.
 */
export const viewComponents: ReadonlyMap<string, FunctionComponent> = new Map([
  [viewPaths.overview, lazyComponent(async () => (await import("../chunks/views.ts")).OverviewView)],
  [viewPaths.import, lazyComponent(async () => (await import("../import/import-view.tsx")).default)],
  [viewPaths.activity, lazyComponent(async () => (await import("../chunks/views.ts")).ActivityView)],
  [viewPaths.deletedUsers, lazyComponent(async () => (await import("../chunks/views.ts")).DeletedView)],
  [viewPaths.schema, lazyComponent(async () => (await import("../chunks/views.ts")).SchemaView)],
  [viewPaths.keys, lazyComponent(async () => (await import("../chunks/views.ts")).KeysView)],
  [viewPaths.webhooks, lazyComponent(async () => (await import("../chunks/views.ts")).WebhooksView)],
  [viewPaths.provisioning, lazyComponent(async () => (await import("../chunks/views.ts")).ProvisioningView)],
  [viewPaths.connect, lazyComponent(async () => (await import("../chunks/views.ts")).ConnectView)],
  [viewPaths.groups, lazyComponent(async () => (await import("../chunks/views.ts")).GroupsView)],
]);
