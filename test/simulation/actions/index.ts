import type { Action } from "../action.ts";
import { databaseActions } from "./database.ts";
import { eventActions } from "./events.ts";
import { groupActions } from "./groups.ts";
import { keyActions } from "./keys.ts";
import { nodeActions } from "./nodes.ts";
import { userActions } from "./users.ts";
import { webhookActions } from "./webhooks.ts";

/** What callers do. */
export const callerActions: readonly Action[] = [
  ...userActions,
  ...groupActions,
  ...keyActions,
  ...eventActions,
  ...webhookActions,
];

/** What goes wrong. */
export const faultActions: readonly Action[] = [...nodeActions, ...databaseActions];
