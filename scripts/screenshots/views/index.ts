import { activityViews } from "./activity.ts";
import { bulkViews } from "./bulk.ts";
import { deletedViews } from "./deleted.ts";
import { frameViews } from "./frame.ts";
import { groupsViews } from "./groups.ts";
import { importViews } from "./import.ts";
import { keysViews } from "./keys.ts";
import { pagesViews } from "./pages.ts";
import { provisioningViews } from "./provisioning.ts";
import { schemaViews } from "./schema.ts";
import { userViews } from "./user.ts";
import { usersViews } from "./users.ts";
import type { View } from "./view.ts";
import { webhooksViews } from "./webhooks.ts";

/** The views, by the name of their pictures. */
export const views: Record<string, View> = {
  ...usersViews,
  ...bulkViews,
  ...userViews,
  ...groupsViews,
  ...keysViews,
  ...frameViews,
  ...activityViews,
  ...deletedViews,
  ...webhooksViews,
  ...provisioningViews,
  ...schemaViews,
  ...pagesViews,
  // Last: they create users.
  ...importViews,
};
