import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError, type User } from "../../../client/index.ts";
import { describeError, fieldErrors, isMutating, isProblem, isSignedOut, randomId } from "../../lib/api.ts";
import { user as texts } from "../../texts/index.ts";
import { updateCachedUser } from "../queries.ts";
import { changedFields, createUser, toRecord, type UserRecord } from "../record.ts";
import { parseCustomFields } from "./custom-fields-draft.ts";
import { type SaveOutcome, saveUser } from "./save-user.ts";
import { isSameDraft, parseDraft, toDraft, type UserDraft } from "./user-draft.ts";

/** What is wrong with what was typed, as far as anybody knows. */
export interface EditorErrors {
  /** What the service said, by the field's name. */
  readonly fields: ReadonlyMap<string, string>;
  /** What belongs to no field. */
  readonly general: string | undefined;
  /** The email that another user has. */
  readonly taken: string | undefined;
  /** Whether what can be seen without asking anybody is pointed out too. */
  readonly checked: boolean;
  /** How often something was found: each time the first of them gets the focus. */
  readonly times: number;
}

/** Typing; choosing between two changes of the same user; or learning that there is nothing left to change. */
type Stage =
  | { readonly at: "form" }
  | { readonly at: "conflict"; readonly mine: UserRecord; readonly was: User; readonly theirs: User }
  | { readonly at: "deleted" };

interface EditorState {
  /** The user as the change began; undefined for one that is to be created. */
  readonly base: User | undefined;
  readonly draft: UserDraft;
  readonly errors: EditorErrors;
  readonly stage: Stage;
  /** To be created from what is left of one that was deleted. */
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
  times: 0,
};

/** A user, from opening it to having it saved. */
export function useUserEditor(user: User | undefined, onDone: (saved: User | undefined) => void) {
  const [state, setState] = useState(() => initialState(user));
  const { base, draft, errors, stage, isRecreating } = state;
  const change = (part: Partial<EditorState>) => setState((now) => ({ ...now, ...part }));
  const dirty = !isSameDraft(draft, toDraft(toRecord(base)));
  // As long as nothing is typed, it is shown as the service has it now.
  if (user && !isRecreating && !dirty && user.version > (base?.version ?? 0)) setState(initialState(user));

  const id = useId();
  const unanswered = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const { mutate, isPending } = useMutation({
    mutationKey: ["save-user", id],
    mutationFn: async ({ base, record }: SaveRequest): Promise<SaveOutcome> => {
      if (base) return saveUser(base, record);
      // Under the name of one that got no answer it is the same create, and makes nobody twice.
      const body = JSON.stringify([...record]);
      const key = unanswered.current?.body === body ? unanswered.current.key : randomId();
      unanswered.current = { body, key };
      const created = await createUser(record, key).catch((error) => {
        if (wasRejected(error)) unanswered.current = undefined;
        throw error;
      });
      unanswered.current = undefined;
      return { kind: "saved", user: created };
    },
    onSuccess: (outcome, { base, record }) => {
      if (outcome.kind === "deleted") change({ stage: { at: "deleted" } });
      else if (outcome.kind === "saved") onDone(outcome.user);
      else if (base) {
        change({ stage: { at: "conflict", mine: record, was: base, theirs: outcome.theirs } });
      }
    },
    onError: (error) =>
      change({ stage: { at: "form" }, errors: { ...toEditorErrors(error, draft), times: errors.times + 1 } }),
  });

  /** Saves, or points to what has to be mended first. */
  const save = (work?: SaveRequest) => {
    const record = work?.record ?? parseDraft(draft);
    const from = work ? work.base : base;
    if (!record) change({ errors: { ...errors, checked: true, times: errors.times + 1 } });
    else if (from && changedFields(toRecord(from), record).length === 0) onDone(undefined);
    else if (!isMutating("save-user", id)) mutate({ base: from, record });
  };
  /** Goes on from their version with what was chosen of both. */
  const resolve = (theirs: User, chosen: UserRecord) => {
    updateCachedUser(theirs);
    change({ base: theirs, draft: toDraft(chosen) });
    save({ base: theirs, record: chosen });
  };
  /** There is nothing left to change: the same as a new user. */
  const createAgain = () => {
    change({ base: undefined, isRecreating: true });
    const record = parseDraft(draft);
    if (record) save({ base: undefined, record });
  };
  const type = (part: Partial<UserDraft>, edited: readonly string[] = []) => {
    const fields = new Map(errors.fields);
    for (const field of edited) fields.delete(field);
    const taken = edited.includes("email") ? undefined : errors.taken;
    change({ draft: { ...draft, ...part }, errors: { ...errors, fields, taken } });
  };
  return {
    base,
    draft,
    dirty,
    errors,
    stage,
    busy: isPending,
    type,
    save,
    resolve,
    createAgain,
    /** Shows at last what had been left alone while somebody was typing. */
    check: () => change({ errors: { ...errors, checked: true, times: errors.times + 1 } }),
    backToForm: () => change({ stage: { at: "form" } }),
    startOver: () => setState(initialState(undefined)),
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

/** What a refusal means, each part of it at the field that it is about. */
function toEditorErrors(error: unknown, draft: UserDraft): Omit<EditorErrors, "times"> {
  const fields = new Map(Object.entries(fieldErrors(error)));
  const taken = isProblem(error, "email-taken") ? draft.email.trim() : undefined;
  const shown = new Set(["name", "email", ...parseCustomFields(draft.customFields).fields.keys()]);
  const elsewhere = (error instanceof ApiError ? (error.problem?.errors ?? []) : [])
    .filter(({ pointer }) => ![...shown].some((field) => fields.has(field) && isAt(pointer, field)))
    .map(({ pointer = "", detail }) => (pointer === "" ? detail : texts.error(pointer.slice(1), detail)));
  const general = () => {
    if (isSignedOut(error)) return texts.signedOut;
    if (elsewhere.length > 0) return elsewhere.join(" ");
    return fields.size === 0 ? describeError(error).text : undefined;
  };
  return { fields, taken, general: general(), checked: true };
}

function isAt(pointer: string | undefined, field: string): boolean {
  return pointer === `/${field}` || pointer?.startsWith(`/${field}/`) === true;
}

/** Whether the service has refused it. It may have done what a proxy before it, or it itself, could not answer for. */
function wasRejected(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
