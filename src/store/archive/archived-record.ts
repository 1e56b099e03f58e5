import { groupTerms, parseGroup } from "../../domain/groups/group.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { storedTerms } from "../../domain/users/settle-user.ts";
import { parseUser } from "../../domain/users/user.ts";
import type { StoredActor } from "../sql/stored-actor.ts";
import type { DatedGroup, DatedUser } from "../writes/write-transaction.ts";
import type { Row } from "./archive.ts";

/** The columns that a row of any record starts with: archives do not contain the indexes of records. */
interface ArchivedRecord {
  readonly row: StoredRecord & { readonly updatedAt: number; readonly changedBy: StoredActor };
  readonly createdAt: number;
}

function parseRow([id, version, json, createdAt, updatedAt, by = null]: Row): ArchivedRecord {
  const changedBy = by === null ? null : Number(by);
  return {
    row: {
      id: Number(id),
      version: Number(version),
      json: String(json),
      updatedAt: Number(updatedAt),
      changedBy,
    },
    createdAt: Number(createdAt),
  };
}

/** A row of `users` from an archive, with its index terms. */
export function parseUserRow(archived: Row): DatedUser {
  const { row, createdAt } = parseRow(archived);
  const nameKey = archived[6] ?? null;
  const userNameKey = nameKey === null ? null : String(nameKey);
  return {
    row: { ...row, userNameKey },
    createdAt,
    terms: storedTerms(userNameKey, parseUser(row.json).record),
  };
}

/** A row of `groups` from an archive, with its index terms. */
export function parseGroupRow(archived: Row): DatedGroup {
  const { row, createdAt } = parseRow(archived);
  const { record, memberCount } = parseGroup(row.json);
  return { row: { ...row, memberCount }, createdAt, terms: groupTerms(record) };
}
