import type { User } from "../../client/index.ts";
import {
  describeError,
  isOutcomeUnknown,
  isProblem,
  isSignedOut,
  promptIfSignedOut,
  roster,
} from "../lib/api.ts";
import { keepsDeletedUsers } from "../lib/session.ts";
import { formatNumber } from "../texts/format.ts";
import { bulk, deleting as texts } from "../texts/index.ts";
import { openDialog } from "../ui/dialogs.tsx";
import { Confirm } from "../ui/modal.tsx";
import { showToast } from "../ui/toasts.tsx";
import { removeCachedUsers, updateCachedUser } from "./queries.ts";
import { offerRestore } from "./undo/offer-restore.ts";

/** Users that are being deleted: to press Delete again does nothing. */
const inFlight = new Set<number>();
/** The users of the last toast. One toast is enough for users that are deleted one after the other. */
let lastOffer: { readonly ids: readonly number[]; readonly withdraw: () => boolean } | undefined;

/**
 * Deletes a user, and offers to restore it. Asks first if the service does not keep deleted users. `onDeleted` runs before the user
 * leaves the table.
 */
export function deleteUser(user: User, onDeleted: () => void = () => undefined): void {
  if (keepsDeletedUsers()) void sendDelete(user, onDeleted);
  else {
    openDialog((close) => (
      <Confirm
        open
        onClose={close}
        title={texts.erase.title(user.name)}
        text={texts.erase.text}
        confirmLabel={texts.erase.action}
        onConfirm={() => {
          close();
          void sendDelete(user, onDeleted);
        }}
      />
    ));
  }
}

async function sendDelete(user: User, onDeleted: () => void): Promise<void> {
  if (inFlight.has(user.id)) return;
  inFlight.add(user.id);
  let offer = () => offerUndoOf(user);
  try {
    await roster.users.delete(user.id, { ifUnchanged: user });
  } catch (error) {
    if (!isProblem(error, "user-not-found")) return await reportFailure(user, error);
    // Someone else has deleted the user, and may undo that.
    offer = () => void showToast({ title: texts.one(user.name) });
  } finally {
    inFlight.delete(user.id);
  }
  onDeleted();
  removeCachedUsers(new Set([user.id]));
  offer();
}

function offerUndoOf({ id, name }: User): void {
  const earlier = lastOffer?.withdraw() ? lastOffer.ids : [];
  const ids = [...earlier, id];
  const title = ids.length === 1 ? texts.one(name) : texts.many(formatNumber(ids.length));
  lastOffer = { ids, withdraw: offerRestore(title, ids) };
}

async function reportFailure({ id, name }: User, error: unknown): Promise<void> {
  promptIfSignedOut(error);
  if (isSignedOut(error)) return;
  const { title, text } = describeFailure(name, error);
  showToast({ title, text, kind: "failed", ms: 10_000 });
  if (!isProblem(error, "version-mismatch")) return;
  try {
    updateCachedUser(await roster.users.get(id));
  } catch {
    // Keep the old version in the table. Opening the user fetches it again.
  }
}

function describeFailure(name: string, error: unknown): { title: string; text: string } {
  if (isOutcomeUnknown(error)) return { title: describeError(error).title, text: bulk.outcomes.unknown };
  const { text } = describeError(error);
  return { title: texts.failed(name), text: isProblem(error, "version-mismatch") ? texts.changed : text };
}
