import type { UserRecord } from "../../contract/users/user.ts";
import type { ColumnField } from "../../contract/users/user-fields.ts";
import type { Origin } from "../caller.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import { isProblem } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import { Records } from "../records/records.ts";
import { userCheck } from "./check-user.ts";
import type { DeletedUserStore } from "./deleted-user-store.ts";
import type { RecordRules } from "./record-rules.ts";
import type { UserStore, UserStores } from "./user-store.ts";

/** A record to write. If it cannot have its email because of another user, the record without it is written instead, if there is one. */
export interface RecordWithFallback {
  readonly record: UserRecord;
  readonly withoutEmail?: UserRecord | undefined;
}

/** What callers can do with users. Methods throw a `ProblemError` if they fail. */
export class Users extends Records<UserRecord, ColumnField, "user"> {
  readonly #users: UserStore;
  readonly #deleted: DeletedUserStore;
  readonly #keepsDeleted: boolean;

  /** `keepsDeleted` says whether deleted users can be restored. Otherwise a delete purges. */
  constructor(store: UserStores, recordRules: RecordRules, running: RunningKeys, keepsDeleted: boolean) {
    // Stored outcomes of earlier versions have fingerprints without a prefix.
    const fingerprintPrefix = "";
    super({
      kind: "user",
      store: store.users,
      check: userCheck,
      limits: recordRules,
      running,
      fingerprintPrefix,
    });
    this.#users = store.users;
    this.#deleted = store.deletedUsers;
    this.#keepsDeleted = keepsDeleted;
  }

  createWithFallback(by: Origin, attempt: RecordWithFallback): Promise<StoredRecord> {
    return writeWithFallback(attempt, (record) => this.create(by, record));
  }

  /**
   * Writes the record that `change` computes from a user. If others change the user in between, the record is computed again. If
   * `change` returns undefined, nothing is written.
   */
  transform(
    by: Origin,
    id: number,
    precondition: Precondition | undefined,
    change: (user: StoredRecord) => MaybePromise<RecordWithFallback | undefined>,
  ): Promise<StoredRecord> {
    return this.computeChange(id, precondition, async (user) => {
      const changed = await change(user);
      const unchanged = { match: [user.version], noneMatch: undefined };
      return changed ? writeWithFallback(changed, (record) => this.replace(by, id, record, unchanged)) : user;
    });
  }

  /** With `purge`, the user cannot be restored. */
  async remove(
    by: Origin,
    id: number,
    precondition: Precondition | undefined,
    purge: boolean,
  ): Promise<void> {
    const purges = purge || !this.#keepsDeleted;
    const user = purges ? await this.#users.read(id) : undefined;
    if (user) await this.#deleted.eraseHistory(user, precondition);
    return this.#users.remove(id, precondition, by, purges);
  }
}

async function writeWithFallback(
  { record, withoutEmail }: RecordWithFallback,
  write: (record: UserRecord) => Promise<StoredRecord>,
): Promise<StoredRecord> {
  try {
    return await write(record);
  } catch (error) {
    if (!withoutEmail || !isAboutEmail(error)) throw error;
    return write(withoutEmail);
  }
}

/** Whether another user has the email, as its email or as its user name. */
function isAboutEmail(error: unknown): boolean {
  if (isProblem(error, "email-taken")) return true;
  return isProblem(error, "value-taken") && error.errors?.[0]?.pointer === "/email";
}
