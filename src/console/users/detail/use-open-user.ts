import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { userRecordFields } from "../../../contract/users/user-fields.ts";
import { noSchemaFields } from "../../fields/field-spec.ts";
import { isProblem, queryClient, roster } from "../../lib/api.ts";
import { useHasScope } from "../../lib/session.ts";
import { ownUsers } from "../../live/live-users.ts";
import { formatDateTime } from "../../texts/format.ts";
import { user as texts } from "../../texts/index.ts";
import { deleteUser } from "../delete-user.tsx";
import { fieldsQuery, schemaFieldsQuery, useFieldLabel } from "../field-info.ts";
import { reloadUsers, removeCachedUsers, updateCachedUser, userQuery } from "../queries.ts";
import { createRecord, type EditedItem, toRecord, updateUser } from "../record.ts";
import { offerUndo } from "../undo/undo.ts";
import { undoEdits } from "../undo/undo-edits.tsx";
import { useLeaveGuard } from "./leave-guard.tsx";
import type { RecordKind } from "./record-kind.ts";
import { type FormEditor, useRecordEditor } from "./use-user-editor.ts";

const userKind: RecordKind<User> = {
  name: "user",
  texts,
  fields: userRecordFields,
  formFields: ["name", "email", "userName", "active", "scim"],
  hasSchema: true,
  writeScope: "users:write",
  problems: { invalid: "invalid-user", missing: "user-not-found" },
  useFieldLabel,
  read: (id) => roster.users.get(id),
  create: (record, idempotencyKey) => createRecord(roster.users, record, idempotencyKey),
  update: updateUser,
  show: updateCachedUser,
  remove: (id) => removeCachedUsers(new Set([id])),
  reportSaved,
};

/** State of a user in the drawer or on a page. `id` is undefined for a new user. `onDone` as of `useOpenRecord`. */
export function useOpenUser(id: number | undefined, onDone: (saved: User | undefined) => void) {
  const query = useQuery({ ...userQuery(id ?? 0), enabled: isExact(id) });
  return useOpenRecord({ kind: userKind, id, query, onDone });
}

export type OpenUser = ReturnType<typeof useOpenUser>;

const isExact = (id: number | undefined) => id !== undefined && Number.isSafeInteger(id);

interface OpenOptions<Item extends EditedItem> {
  readonly kind: RecordKind<Item>;
  /** Undefined for a new one. */
  readonly id: number | undefined;
  /** The query of what has this id. */
  readonly query: { readonly data: Item | undefined; readonly error: unknown; refetch(): unknown };
  /** Called after a save, unless the person has left before, and without an item if nothing had to be saved. */
  readonly onDone: (saved: Item | undefined) => void;
}

/** State of a user or a group while it is open. */
export function useOpenRecord<Item extends EditedItem>({ kind, id, query, onDone }: OpenOptions<Item>) {
  const { data, error, refetch } = query;
  const { texts } = kind;
  const schema = useQuery({ ...schemaFieldsQuery, enabled: kind.hasSchema });
  const schemaFields = kind.hasSchema ? schema.data : noSchemaFields;
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const editor = useRecordEditor(kind, data, schemaFields ?? noSchemaFields, (saved) => {
    if (saved) kind.reportSaved(saved, editor.base);
    if (isOpen.current) onDone(saved);
  });
  const { base, stage, dirty } = editor;

  const deletedId = stage.at === "deleted" ? id : undefined;
  useEffect(() => {
    // Remove what was deleted from the table when the person leaves.
    if (deletedId !== undefined) return () => kind.remove(deletedId);
  }, [kind, deletedId]);

  const isDeleted = isProblem(error, kind.problems.missing);
  const isMissing = (isDeleted || (id !== undefined && !isExact(id))) && !dirty;
  const failure = error ?? (kind.hasSchema ? schema.error : null);
  const isReady = schemaFields !== undefined && (base !== undefined || id === undefined);
  const hasForm = !isMissing && (isReady || dirty);
  return {
    /** The form's id, for a save button outside of the form. */
    form: useId(),
    editor,
    guard: useLeaveGuard(dirty),
    canWrite: useHasScope(kind.writeScope),
    /** What to show instead of the form of the stage. Undefined: the form. */
    instead: hasForm ? undefined : isMissing ? "missing" : failure ? "error" : "loading",
    error: failure,
    /** Someone else has deleted it. */
    isDeleted,
    retry: () => void (error || !kind.hasSchema ? refetch() : schema.refetch()),
    name: base?.name ?? (id === undefined || dirty ? texts.newTitle : texts.loadingTitle),
  } as const;
}

export type OpenRecord<Item extends EditedItem> = ReturnType<typeof useOpenRecord<Item>>;
/** What forms and buttons need to know. */
export type OpenForm = Omit<OpenRecord<EditedItem>, "editor"> & { readonly editor: FormEditor };

/** Title and text of a stage other than the form. */
export function describeStage({ editor: { kind, base, draft, stage } }: OpenForm) {
  const { texts } = kind;
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
