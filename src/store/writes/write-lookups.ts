import type { Json } from "../../contract/json.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { Edit } from "../../domain/users/user.ts";
import { requestedValues, type UniqueValue, uniqueKey } from "../schema/unique-values.ts";
import type { ParsedWrite } from "./apply-write.ts";
import { emailKeyOf, matchedValue, matchesByEmail } from "./import-lines.ts";

type Fields = { readonly [field: string]: Json | undefined };

/** A create of a batch, before its id is known. */
export interface PlannedCreate {
  readonly emailKey: string | null;
  readonly idempotencyKey: IdempotencyKey | undefined;
}

/** What a batch must read before its writes can be applied in memory. */
export interface WriteLookups {
  readonly creates: readonly PlannedCreate[];
  readonly idempotencyKeys: readonly IdempotencyKey[];
  /** Folded emails that must be free. */
  readonly emails: readonly string[];
  /** The users to change: by id, and by folded email. */
  readonly ids: readonly number[];
  readonly matchedEmails: readonly string[];
  /** The deleted users to restore or purge. */
  readonly deletedIds: readonly number[];
  /** Values of unique fields that must be free, and the values of the users to change. */
  readonly values: readonly UniqueValue[];
  readonly matchedValues: readonly UniqueValue[];
}

export function* collectLookups(writes: readonly ParsedWrite[], rules: RecordRules): Steps<WriteLookups> {
  const creates: PlannedCreate[] = [];
  const idempotencyKeys: IdempotencyKey[] = [];
  const emails = new Set<string>();
  const matchedEmails = new Set<string>();
  const ids = new Set<number>();
  const deletedIds = new Set<number>();
  const values = new Map<string, UniqueValue>();
  const matchedValues = new Map<string, UniqueValue>();
  const addValues = (fields: Fields) => {
    for (const value of requestedValues(fields, rules)) values.set(uniqueKey(value), value);
  };
  const addEdit = (edit: Edit) => {
    const fields: Fields = "replace" in edit ? edit.replace : edit.merge;
    const { email } = fields;
    if (typeof email === "string") emails.add(foldEmail(email.trim()));
    addValues(fields);
  };
  for (const write of writes) {
    yield;
    if (write.kind === "create" || write.kind === "parsed-import") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      const byEmail = write.kind === "parsed-import" && matchesByEmail(write.options);
      for (const attempt of write.kind === "create" ? [write.attempt] : write.attempts) {
        if ("problem" in attempt) continue;
        addValues("record" in attempt ? attempt.record : attempt.merge);
        const matched = write.kind === "parsed-import" ? matchedValue(attempt, write.options) : undefined;
        if (matched) matchedValues.set(uniqueKey(matched), matched);
        const emailKey = emailKeyOf(attempt) ?? null;
        if (emailKey !== null) (byEmail ? matchedEmails : emails).add(emailKey);
        if ("id" in attempt) ids.add(attempt.id);
        else creates.push({ emailKey, idempotencyKey: write.idempotencyKey });
        yield;
      }
    } else if (write.kind === "change-many") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      for (const id of write.ids) (write.change === "restore" ? deletedIds : ids).add(id);
      if (typeof write.change !== "string") addEdit(write.change);
    } else if (write.kind === "purge-old") {
      for (const id of write.ids) deletedIds.add(id);
    } else if (write.kind === "restore" || write.kind === "purge") {
      deletedIds.add(write.id);
      if (write.kind === "restore") addEdit({ merge: write.changes });
    } else {
      ids.add(write.id);
      if (write.kind === "edit") addEdit(write.edit);
    }
  }
  for (const email of matchedEmails) emails.add(email);
  return {
    creates,
    idempotencyKeys,
    emails: [...emails],
    ids: [...ids],
    matchedEmails: [...matchedEmails],
    deletedIds: [...deletedIds],
    values: [...values.values()],
    matchedValues: [...matchedValues.values()],
  };
}
