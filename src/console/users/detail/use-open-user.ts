import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { noSchemaFields } from "../../fields/field-spec.ts";
import { isProblem, queryClient } from "../../lib/api.ts";
import { useHasScope } from "../../lib/session.ts";
import { ownUsers } from "../../live/live-users.ts";
import { formatDateTime } from "../../texts/format.ts";
import { user as texts } from "../../texts/index.ts";
import { deleteUser } from "../delete-user.tsx";
import { fieldsQuery, schemaFieldsQuery } from "../field-info.ts";
import { reloadUsers, removeCachedUsers, updateCachedUser, userQuery } from "../queries.ts";
import { toRecord } from "../record.ts";
import { offerUndo } from "../undo/undo.ts";
import { undoEdits } from "../undo/undo-edits.tsx";
import { useLeaveGuard } from "./leave-guard.tsx";
import { useUserEditor } from "./use-user-editor.ts";

/**
 * State of a user in the drawer or on a page. `id` is undefined for a new user. `onDone` is called after a save, unless the person
 * has left before, and without a user if nothing had to be saved.
 */
export function useOpenUser(id: number | undefined, onDone: (saved: User | undefined) => void) {
  const isExact = id !== undefined && Number.isSafeInteger(id);
  const { data, error, refetch } = useQuery({ ...userQuery(id ?? 0), enabled: isExact });
  const schema = useQuery(schemaFieldsQuery);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const editor = useUserEditor(data, schema.data ?? noSchemaFields, (saved) => {
    if (saved) reportSaved(saved, editor.base);
    if (isOpen.current) onDone(saved);
  });
  const { base, stage, dirty } = editor;

  const deletedId = stage.at === "deleted" ? id : undefined;
  useEffect(() => {
    // Remove the deleted user from the table when the person leaves.
    if (deletedId !== undefined) return () => removeCachedUsers(new Set([deletedId]));
  }, [deletedId]);

  const isDeleted = isProblem(error, "user-not-found");
  const isMissing = (isDeleted || (id !== undefined && !isExact)) && !dirty;
  const failure = error ?? schema.error;
  const hasForm = !isMissing && ((schema.isSuccess && (base !== undefined || id === undefined)) || dirty);
  return {
    /** The form's id, for a save button outside of the form. */
    form: useId(),
    editor,
    guard: useLeaveGuard(dirty),
    canWrite: useHasScope("users:write"),
    /** What to show instead of the form of the stage. Undefined: the form. */
    instead: hasForm ? undefined : isMissing ? "missing" : failure ? "error" : "loading",
    error: failure,
    /** Someone else has deleted the user. */
    isDeleted,
    retry: () => void (error ? refetch() : schema.refetch()),
    name: base?.name ?? (id === undefined || dirty ? texts.newTitle : texts.loadingTitle),
  } as const;
}

export type OpenUser = ReturnType<typeof useOpenUser>;

/** Title and text of a stage other than the form. */
export function describeStage({ editor: { base, draft, stage } }: OpenUser) {
  if (stage.at === "deleted") {
    return { title: texts.deleted.title, lead: texts.deleted.text(base?.name ?? draft.name) };
  }
  if (stage.at === "form") return undefined;
  const { name, updatedAt } = stage.theirs;
  return { title: texts.conflict.title, lead: texts.conflict.lead(name, formatDateTime(updatedAt)) };
}

function reportSaved(saved: User, base: User | undefined): void {
  void queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey });
  if (base?.id === saved.id) {
    updateCachedUser(saved);
    const edited = [{ after: saved, before: toRecord(base) }];
    offerUndo(texts.saved(saved.name), () =>
      undoEdits({ count: 1, name: base.name, find: async () => edited }),
    );
  } else {
    ownUsers.add(saved.id);
    void reloadUsers();
    offerUndo(texts.created(saved.name), async () => {
      deleteUser(saved);
      return true;
    });
  }
}
