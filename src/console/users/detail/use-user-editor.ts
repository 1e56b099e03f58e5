import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError, type User } from "../../../client/index.ts";
import type { SchemaFields } from "../../fields/field-spec.ts";
import { describeError, fieldErrors, isMutating, isProblem, isSignedOut, randomId } from "../../lib/api.ts";
import { user as texts } from "../../texts/index.ts";
import { reloadFields } from "../field-info.ts";
import { updateCachedUser } from "../queries.ts";
import { changedFields, createUser, isSameRecord, toRecord, type UserRecord } from "../record.ts";
import { findTakenName, type TakenName } from "../taken-name.ts";
import { addInitialValues, findMissing, parseCustomFields } from "./custom-fields-draft.ts";
import { chooseUnambiguous, merge } from "./merge.ts";
import { type SaveOutcome, saveUser } from "./save-user.ts";
import { isSameDraft, parseDraft, toDraft, type UserDraft } from "./user-draft.ts";

export interface EditorErrors {
  /** The service's errors by field. */
  readonly fields: ReadonlyMap<string, string>;
  /** Errors that belong to no visible field. */
  readonly general: string | undefined;
  /** The submitted email or user name, if another user has it. */
  readonly taken: (TakenName & { readonly name: string }) | undefined;
  /** Whether errors found without the service are shown too. */
  readonly checked: boolean;
  /** Incremented with each failed save, to focus the first error again. */
  readonly saveCount: number;
}

/** What is shown: the form, a conflict with someone else's change, or a notice that the user was deleted. */
type Stage =
  | { readonly at: "form" }
  | { readonly at: "conflict"; readonly mine: UserRecord; readonly was: User; readonly theirs: User }
  | { readonly at: "deleted" };

interface EditorState {
  /** The version that the person edits. Undefined for a new user. */
  readonly base: User | undefined;
  readonly draft: UserDraft;
  readonly errors: EditorErrors;
  readonly stage: Stage;
  /** Whether a deleted user is being created again. */
  readonly isRecreating: boolean;
}

interface SaveRequest {
  readonly base: User | undefined;
  readonly record: UserRecord;
}

const noErrors: EditorErrors = {
  fields: new Map(),
  general: undefined,
  taken: undefined,
  checked: false,
  saveCount: 0,
};

/** A user while it is edited, from opening to saving it. */
export function useUserEditor(
  user: User | undefined,
  schemaFields: SchemaFields,
  onDone: (saved: User | undefined) => void,
) {
  const [state, setState] = useState(() => initialState(user));
  const { base, draft, errors, stage, isRecreating } = state;
  const change = (part: Partial<EditorState>) => setState((now) => ({ ...now, ...part }));
  const dirty = !isSameDraft(draft, toDraft(toRecord(base)));

  const id = useId();
  const lastCreate = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const { mutate, isPending } = useMutation({
    mutationKey: ["save-user", id],
    mutationFn: async ({ base, record }: SaveRequest): Promise<SaveOutcome> => {
      if (base) return saveUser(base, record);
      // Repeat a create without response under the same idempotency key, so no user is created twice.
      const body = JSON.stringify([...record]);
      const key = lastCreate.current?.body === body ? lastCreate.current.key : randomId();
      lastCreate.current = { body, key };
      const created = await createUser(record, key).catch((error) => {
        if (wasRejected(error)) lastCreate.current = undefined;
        throw error;
      });
      lastCreate.current = undefined;
      return { kind: "saved", user: created };
    },
    onSuccess: (outcome, { base, record }) => {
      if (outcome.kind === "deleted") change({ stage: { at: "deleted" } });
      else if (outcome.kind === "saved") onDone(outcome.user);
      else if (base) {
        updateCachedUser(outcome.theirs);
        change({ stage: { at: "conflict", mine: record, was: base, theirs: outcome.theirs } });
      }
    },
    onError: (error) => {
      // The schema may have changed since the form was opened.
      if (isProblem(error, "invalid-user")) void reloadFields();
      change({
        stage: { at: "form" },
        errors: {
          ...toEditorErrors(error, draft, schemaFields, base === undefined),
          saveCount: errors.saveCount + 1,
        },
      });
    },
  });

  const newer = user && !isRecreating && user.version > (base?.version ?? 0) ? user : undefined;
  // Without unsaved changes, show the newest version.
  if (newer && !dirty) setState(initialState(newer));
  const isEditing = base !== undefined && dirty && stage.at === "form" && !isPending;
  const theirs = isEditing ? newer : undefined;
  const mine = theirs && parseDraft(draft);
  if (base && theirs) {
    // A user who was restored has another version and the same record.
    if (isSameRecord(toRecord(base), toRecord(theirs))) change({ base: theirs });
    else if (mine && isSameRecord(mine, toRecord(theirs))) setState(initialState(theirs));
  }

  /** Shows the errors that are hidden while the person types. */
  const check = () => change({ errors: { ...errors, checked: true, saveCount: errors.saveCount + 1 } });
  /** Saves the draft, or shows its errors. */
  const save = (work?: SaveRequest) => {
    const from = work ? work.base : base;
    const parsed = work?.record ?? parseDraft(draft);
    // Switches show a value. JSON shows what is sent.
    const hasSwitches = !from && draft.customFields.form === "rows";
    const record = parsed && hasSwitches ? addInitialValues(parsed, schemaFields.specs) : parsed;
    if (!record) check();
    else if (from && changedFields(toRecord(from), record).length === 0) onDone(undefined);
    else if (!isMutating("save-user", id)) mutate({ base: from, record });
  };
  /** Saves the chosen values on top of the other person's version. */
  const resolve = (theirs: User, chosen: UserRecord) => {
    change({ base: theirs, draft: toDraft(chosen) });
    save({ base: theirs, record: chosen });
  };
  /** Shows both versions. */
  const compare = () => {
    if (!mine) check();
    else if (base && theirs) change({ stage: { at: "conflict", mine, was: base, theirs } });
  };
  /** Continues with the other person's version and the unsaved changes, which are in other fields. */
  const takeOver = () => {
    if (!mine || !base || !theirs) return;
    const record = toRecord(theirs);
    const chosen = chooseUnambiguous({ was: toRecord(base), mine, theirs: record });
    change({ base: theirs, draft: toDraft(merge(mine, record, chosen)), errors: noErrors });
  };
  /** Creates a deleted user again, as a new user. */
  const createAgain = () => {
    change({ base: undefined, isRecreating: true });
    const record = parseDraft(draft);
    if (record) save({ base: undefined, record });
  };
  const type = (part: Partial<UserDraft>, edited: readonly string[] = []) => {
    const fields = new Map(errors.fields);
    for (const field of edited) fields.delete(field);
    const taken = errors.taken && edited.includes(errors.taken.field) ? undefined : errors.taken;
    change({ draft: { ...draft, ...part }, errors: { ...errors, fields, taken } });
  };
  return {
    base,
    draft,
    dirty,
    schemaFields,
    errors,
    stage,
    busy: isPending,
    type,
    save,
    resolve,
    createAgain,
    check,
    /** A newer version by someone else, while the person has unsaved changes. */
    theirs,
    compare,
    takeOver,
    backToForm: () => change({ stage: { at: "form" } }),
    /** Shows this version of a user, or the form of a new one. */
    startOver: (user?: User) => setState(initialState(user)),
    discard: () => setState((now) => initialState(now.base)),
  };
}

export type UserEditor = ReturnType<typeof useUserEditor>;

function initialState(base: User | undefined): EditorState {
  return {
    base,
    draft: toDraft(toRecord(base)),
    errors: noErrors,
    stage: { at: "form" },
    isRecreating: false,
  };
}

/** Assigns the errors of a problem to their fields. */
function toEditorErrors(
  error: unknown,
  { email, userName, customFields, scim }: UserDraft,
  { specs }: SchemaFields,
  isNew: boolean,
): Omit<EditorErrors, "saveCount"> {
  const fields = new Map(Object.entries(fieldErrors(error)));
  const given = parseCustomFields(customFields).fields;
  // The service looks at the schema only if the fields of its own are valid.
  if (isNew && isProblem(error, "invalid-user")) {
    for (const { name } of findMissing(given, specs)) {
      if (!fields.has(name)) fields.set(name, texts.errors.required);
    }
  }
  const taken = findTakenName(error);
  const names = { email: email.trim(), userName: userName.trim() };
  const described = customFields.form === "rows" ? specs.map(({ name }) => name) : [];
  const kept = scim === undefined ? [] : ["scim"];
  const shown = new Set(["name", "email", "userName", "active", ...kept, ...described, ...given.keys()]);
  const elsewhere = (error instanceof ApiError ? (error.problem?.errors ?? []) : [])
    .filter(({ pointer }) => ![...shown].some((field) => fields.has(field) && isAt(pointer, field)))
    .map(({ pointer = "", detail }) => (pointer === "" ? detail : texts.error(pointer.slice(1), detail)));
  const general = () => {
    if (isSignedOut(error)) return texts.signedOut;
    if (elsewhere.length > 0) return elsewhere.join(" ");
    if (fields.size > 0) return undefined;
    const { title, text } = describeError(error);
    return `${title}. ${text}`;
  };
  return {
    fields,
    taken: taken && { ...taken, name: names[taken.field] },
    general: general(),
    checked: true,
  };
}

function isAt(pointer: string | undefined, field: string): boolean {
  return pointer === `/${field}` || pointer?.startsWith(`/${field}/`) === true;
}

/** Whether nothing was created for sure. After a 5xx response, the service may have created the user. */
function wasRejected(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
