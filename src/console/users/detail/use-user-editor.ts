import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError, type User } from "../../../client/index.ts";
import { explain, fieldFaults, isRefusal, isSignedOut, isUnderWay, randomName } from "../../lib/api.ts";
import { user as texts } from "../../texts/index.ts";
import { showChanged } from "../queries.ts";
import { createUser, differences, type UserRecord, toRecord } from "../record.ts";
import { readOwn } from "./custom-fields-draft.ts";
import { type SaveOutcome, saveUser } from "./save-user.ts";
import { type UserDraft, draftOf, isSameDraft, parseDraft } from "./user-draft.ts";

/** What is wrong with what was typed, as far as anybody knows. */
export interface Faults {
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
  readonly faults: Faults;
  readonly stage: Stage;
  /** To be created from what is left of one that was deleted. */
  readonly anew: boolean;
}

interface SaveRequest {
  readonly base: User | undefined;
  readonly record: UserRecord;
}

const noFaults: Faults = {
  fields: new Map(),
  general: undefined,
  taken: undefined,
  checked: false,
  times: 0,
};

/** A user, from opening it to having it saved. */
export function useEditing(user: User | undefined, onDone: (saved: User | undefined) => void) {
  const [state, setState] = useState(() => initialState(user));
  const { base, draft, faults, stage, anew } = state;
  const change = (part: Partial<EditorState>) => setState((now) => ({ ...now, ...part }));
  const dirty = !isSameDraft(draft, draftOf(toRecord(base)));
  // As long as nothing is typed, it is shown as the service has it now.
  if (user && !anew && !dirty && user.version > (base?.version ?? 0)) setState(initialState(user));

  const id = useId();
  const unanswered = useRef<{ readonly body: string; readonly key: string }>(undefined);
  const { mutate, isPending } = useMutation({
    mutationKey: ["save-user", id],
    mutationFn: async ({ base, record }: SaveRequest): Promise<SaveOutcome> => {
      if (base) return saveUser(base, record);
      // Under the name of one that got no answer it is the same create, and makes nobody twice.
      const body = JSON.stringify([...record]);
      const key = unanswered.current?.body === body ? unanswered.current.key : randomName();
      unanswered.current = { body, key };
      const created = await createUser(record, key).catch((error) => {
        if (isSurelyUndone(error)) unanswered.current = undefined;
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
      change({ stage: { at: "form" }, faults: { ...faultsOf(error, draft), times: faults.times + 1 } }),
  });

  /** Saves, or points to what has to be mended first. */
  const save = (work?: SaveRequest) => {
    const record = work?.record ?? parseDraft(draft);
    const from = work ? work.base : base;
    if (!record) change({ faults: { ...faults, checked: true, times: faults.times + 1 } });
    else if (from && differences(toRecord(from), record).length === 0) onDone(undefined);
    else if (!isUnderWay("save-user", id)) mutate({ base: from, record });
  };
  /** Goes on from their version with what was chosen of both. */
  const resolve = (theirs: User, chosen: UserRecord) => {
    showChanged(theirs);
    change({ base: theirs, draft: draftOf(chosen) });
    save({ base: theirs, record: chosen });
  };
  /** There is nothing left to change: the same as a new user. */
  const createAnew = () => {
    change({ base: undefined, anew: true });
    const record = parseDraft(draft);
    if (record) save({ base: undefined, record });
  };
  const type = (part: Partial<UserDraft>, mended: readonly string[] = []) => {
    const fields = new Map(faults.fields);
    for (const field of mended) fields.delete(field);
    const taken = mended.includes("email") ? undefined : faults.taken;
    change({ draft: { ...draft, ...part }, faults: { ...faults, fields, taken } });
  };
  return {
    base,
    draft,
    dirty,
    faults,
    stage,
    busy: isPending,
    type,
    save,
    resolve,
    createAnew,
    /** Shows at last what had been left alone while somebody was typing. */
    check: () => change({ faults: { ...faults, checked: true, times: faults.times + 1 } }),
    backToForm: () => change({ stage: { at: "form" } }),
    startOver: () => setState(initialState(undefined)),
  };
}

export type Editing = ReturnType<typeof useEditing>;

function initialState(base: User | undefined): EditorState {
  return { base, draft: draftOf(toRecord(base)), faults: noFaults, stage: { at: "form" }, anew: false };
}

/** What a refusal means, each part of it at the field that it is about. */
function faultsOf(error: unknown, draft: UserDraft): Omit<Faults, "times"> {
  const fields = new Map(Object.entries(fieldFaults(error)));
  const taken = isRefusal(error, "email-taken") ? draft.email.trim() : undefined;
  const shown = new Set(["name", "email", ...readOwn(draft.customFields).fields.keys()]);
  const elsewhere = (error instanceof ApiError ? (error.problem?.errors ?? []) : [])
    .filter(({ pointer }) => ![...shown].some((field) => fields.has(field) && isAt(pointer, field)))
    .map(({ pointer = "", detail }) => (pointer === "" ? detail : texts.fault(pointer.slice(1), detail)));
  const general = () => {
    if (isSignedOut(error)) return texts.signedOut;
    if (elsewhere.length > 0) return elsewhere.join(" ");
    return fields.size === 0 ? explain(error).text : undefined;
  };
  return { fields, taken, general: general(), checked: true };
}

function isAt(pointer: string | undefined, field: string): boolean {
  return pointer === `/${field}` || pointer?.startsWith(`/${field}/`) === true;
}

/** Whether the service has refused it. It may have done what a proxy before it, or it itself, could not answer for. */
function isSurelyUndone(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
