import { undo as texts } from "../../texts/undo.ts";

/** An edit of more users cannot be undone. */
const MAX_USERS = 10_000;

/** Why an edit of so many users cannot be undone. Undefined if it can. */
export function whyNoUndo(count: number, canFindOldValues = true): string | undefined {
  if (count > MAX_USERS) return texts.cannot.many(MAX_USERS);
  return canFindOldValues ? undefined : texts.cannot.scope;
}
