import type { Steps } from "../../domain/bulk/steps.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { IdempotencyKey } from "../../domain/store.ts";
import type { Edit } from "../../domain/user.ts";
import type { ParsedWrite } from "./apply-write.ts";
import { emailKeyOf, matchesByEmail } from "./import-lines.ts";

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
}

export function* collectLookups(writes: readonly ParsedWrite[]): Steps<WriteLookups> {
  const creates: PlannedCreate[] = [];
  const idempotencyKeys: IdempotencyKey[] = [];
  const emails = new Set<string>();
  const matchedEmails = new Set<string>();
  const ids = new Set<number>();
  const deletedIds = new Set<number>();
  const addEmail = (edit: Edit) => {
    const { email } = "replace" in edit ? edit.replace : edit.merge;
    if (typeof email === "string") emails.add(foldEmail(email.trim()));
  };
  for (const write of writes) {
    yield;
    if (write.kind === "create" || write.kind === "parsed-import") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      const byEmail = write.kind === "parsed-import" && matchesByEmail(write.options);
      for (const attempt of write.kind === "create" ? [write.attempt] : write.attempts) {
        if ("problem" in attempt) continue;
        const emailKey = emailKeyOf(attempt) ?? null;
        if (emailKey !== null) (byEmail ? matchedEmails : emails).add(emailKey);
        if ("id" in attempt) ids.add(attempt.id);
        else creates.push({ emailKey, idempotencyKey: write.idempotencyKey });
        yield;
      }
    } else if (write.kind === "change-many") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      for (const id of write.ids) (write.change === "restore" ? deletedIds : ids).add(id);
      if (typeof write.change !== "string") addEmail(write.change);
    } else if (write.kind === "purge-old") {
      for (const id of write.ids) deletedIds.add(id);
    } else if (write.kind === "restore" || write.kind === "purge") {
      deletedIds.add(write.id);
      if (write.kind === "restore" && write.email) emails.add(foldEmail(write.email));
    } else {
      ids.add(write.id);
      if (write.kind === "edit") addEmail(write.edit);
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
  };
}
