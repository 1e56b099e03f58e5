import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError } from "../../../client/index.ts";
import type { SchemaFields } from "../../fields/field-spec.ts";
import { describeError, fieldErrors, isMutating, isProblem, isSignedOut, randomId } from "../../lib/api.ts";
import { reloadFields } from "../field-info.ts";
import { changedFields, type EditedItem, isSameRecord, toRecord, type UserRecord } from "../record.ts";
import { findTakenName, type TakenName } from "../taken-name.ts";
import { addInitialValues, findMissing, parseCustomFields } from "./custom-fields-draft.ts";
import { chooseUnambiguous, merge } from "./merge.ts";
import type { KindFacts, RecordKind } from "./record-kind.ts";
import { type SaveOutcome, saveRecord } from "./save-user.ts";
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

/** What is shown: the form, a conflict with someone else's change, or a notice that the record was deleted. */
type Stage<Item> =
  | { readonly at: "form" }
  | { readonly at: "conflict"; readonly mine: UserRecord; readonly was: Item; readonly theirs: Item }
  | { readonly at: "deleted" };

interface EditorState<Item> {
  /** The version that the person edits. Undefined for a new one. */
  readonly base: Item | undefined;
  readonly draft: UserDraft;
  readonly errors: EditorErrors;
  readonly stage: Stage<Item>;
  /** Whether a deleted one is being created again. */
  readonly isRecreating: boolean;
}

interface SaveRequest<Item> {
  readonly base: Item | undefined;
  readonly record: UserRecord;
}

const noErrors: EditorErrors = {
  fields: new Map(),
  general: undefined,
  taken: undefined,
  checked: false,
  saveCount: 0,
};

/** A user or a group while it is edited, from opening to saving it. */
export function useRecordEditor<Item extends EditedItem>(
  kind: RecordKind<Item>,
  item: Item | undefined,
  schemaFields: SchemaFields,
  onDone: (saved: Item | undefined) => void,
) {
  const recordOf = (of: Item | undefined) => toRecord(of, kind.fields);
  const initialState = (from: Item | undefined): EditorState<Item> => ({
    base: from,
    draft: toDraft(recordOf(from), kind),
    errors: noErrors,
    stage: { at: "form" },
    isRecreating: false,
  });
  const [state, setState] = useState(() => initialState(item));
  const { base, draft, errors, stage, isRecreating } = state;
  const change = (part: Partial<EditorState<Item>>) => setState((now) => ({ ...now, ...part }));
  const dirty = !isSameDraft(draft, toDraft(recordOf(base), kind), kind);

  const id = useId();
  const lastCreate = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const { mutate, isPending } = useMutation({
    mutationKey: ["save-record", id],
    mutationFn: async ({ base, record }: SaveRequest<Item>): Promise<SaveOutcome<Item>> => {
      if (base) return saveRecord(kind, base, record);
      // Repeat a create without response under the same idempotency key, so nothing is created twice.
      const body = JSON.stringify([...record]);
      const key = lastCreate.current?.body === body ? lastCreate.current.key : randomId();
      lastCreate.current = { body, key };
      const created = await kind.create(record, key).catch((error: unknown) => {
        if (wasRejected(error)) lastCreate.current = undefined;
        throw error;
      });
      lastCreate.current = undefined;
      return { kind: "saved", item: created };
    },
    onSuccess: (outcome, { base, record }) => {
      if (outcome.kind === "deleted") change({ stage: { at: "deleted" } });
      else if (outcome.kind === "saved") onDone(outcome.item);
      else if (base) {
        kind.show(outcome.theirs);
        change({ stage: { at: "conflict", mine: record, was: base, theirs: outcome.theirs } });
      }
    },
    onError: (error) => {
      // The schema may have changed since the form was opened.
      if (kind.hasSchema && isProblem(error, kind.problems.invalid)) void reloadFields();
      change({
        stage: { at: "form" },
        errors: {
          ...toEditorErrors(kind, error, draft, { specs: schemaFields.specs, isNew: base === undefined }),
          saveCount: errors.saveCount + 1,
        },
      });
    },
  });

  const newer = item && !isRecreating && item.version > (base?.version ?? 0) ? item : undefined;
  // Without unsaved changes, show the newest version.
  if (newer && !dirty) setState(initialState(newer));
  const isEditing = base !== undefined && dirty && stage.at === "form" && !isPending;
  const theirs = isEditing ? newer : undefined;
  const mine = theirs && parseDraft(draft, kind);
  if (base && theirs) {
    // A user who was restored, and a group with other members, have another version and the same record.
    if (isSameRecord(recordOf(base), recordOf(theirs))) change({ base: theirs });
    else if (mine && isSameRecord(mine, recordOf(theirs))) setState(initialState(theirs));
  }

  /** Shows the errors that are hidden while the person types. */
  const check = () => change({ errors: { ...errors, checked: true, saveCount: errors.saveCount + 1 } });
  /** Saves the draft, or shows its errors. */
  const save = (work?: SaveRequest<Item>) => {
    const from = work ? work.base : base;
    const parsed = work?.record ?? parseDraft(draft, kind);
    // Switches show a value. JSON shows what is sent.
    const hasSwitches = !from && draft.customFields.form === "rows";
    const record = parsed && hasSwitches ? addInitialValues(parsed, schemaFields.specs) : parsed;
    if (!record) check();
    else if (from && changedFields(recordOf(from), record).length === 0) onDone(undefined);
    else if (!isMutating("save-record", id)) mutate({ base: from, record });
  };
  /** Saves the chosen values on top of the other person's version. */
  const resolve = (theirs: Item, chosen: UserRecord) => {
    change({ base: theirs, draft: toDraft(chosen, kind) });
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
    const record = recordOf(theirs);
    const chosen = chooseUnambiguous({ was: recordOf(base), mine, theirs: record });
    change({ base: theirs, draft: toDraft(merge(mine, record, chosen), kind), errors: noErrors });
  };
  /** Creates what was deleted again, under a new id. */
  const createAgain = () => {
    change({ base: undefined, isRecreating: true });
    const record = parseDraft(draft, kind);
    if (record) save({ base: undefined, record });
  };
  const type = (part: Partial<UserDraft>, edited: readonly string[] = []) => {
    const fields = new Map(errors.fields);
    for (const field of edited) fields.delete(field);
    const taken = errors.taken && edited.includes(errors.taken.field) ? undefined : errors.taken;
    change({ draft: { ...draft, ...part }, errors: { ...errors, fields, taken } });
  };
  return {
    kind,
    base,
    draft,
    dirty,
    schemaFields,
    errors,
    stage,
    busy: isPending,
    type,
    save: () => save(),
    resolve,
    createAgain,
    check,
    /** A newer version by someone else, while the person has unsaved changes. */
    theirs,
    compare,
    takeOver,
    backToForm: () => change({ stage: { at: "form" } }),
    /** Shows this version, or the form of a new user or group. */
    startOver: (from?: Item) => setState(initialState(from)),
    discard: () => setState((now) => initialState(now.base)),
  };
}

type RecordEditor<Item extends EditedItem> = ReturnType<typeof useRecordEditor<Item>>;
/** What forms need to know. */
export type FormEditor = Omit<RecordEditor<EditedItem>, "kind" | "resolve" | "startOver"> & {
  readonly kind: KindFacts;
};

/** Assigns the errors of a problem to their fields. */
function toEditorErrors(
  { fields: known, formFields, problems, texts }: KindFacts,
  error: unknown,
  { email, userName, customFields, scim }: UserDraft,
  { specs, isNew }: { readonly specs: SchemaFields["specs"]; readonly isNew: boolean },
): Omit<EditorErrors, "saveCount"> {
  const fields = new Map(Object.entries(fieldErrors(error)));
  const given = parseCustomFields(customFields, known).fields;
  // The service looks at the schema only if the fields of its own are valid.
  if (isNew && isProblem(error, problems.invalid)) {
    for (const { name } of findMissing(given, specs)) {
      if (!fields.has(name)) fields.set(name, texts.errors.required);
    }
  }
  const taken = findTakenName(error);
  const names = { email: email.trim(), userName: userName.trim() };
  const described = customFields.form === "rows" ? specs.map(({ name }) => name) : [];
  const inForm = formFields.filter((field) => field !== "scim" || scim !== undefined);
  const shown = new Set([...inForm, ...described, ...given.keys()]);
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

/** Whether nothing was created for sure. After a 5xx response, the service may have created the record. */
function wasRejected(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
