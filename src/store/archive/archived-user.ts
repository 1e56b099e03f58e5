import { storedTerms } from "../../domain/users/settle-user.ts";
import { parseUser } from "../../domain/users/user.ts";
import type { DatedUser } from "../writes/write-transaction.ts";
import type { Row } from "./archive.ts";

/** A row of `users` from an archive, with its index terms: archives do not contain the users' indexes. */
export function parseUserRow([
  id,
  version,
  text,
  createdAt,
  updatedAt,
  by = null,
  nameKey = null,
]: Row): DatedUser {
  const json = String(text);
  const { record } = parseUser(json);
  const userNameKey = nameKey === null ? null : String(nameKey);
  const changedBy = by === null ? null : Number(by);
  return {
    row: {
      id: Number(id),
      version: Number(version),
      json,
      updatedAt: Number(updatedAt),
      changedBy,
      userNameKey,
    },
    createdAt: Number(createdAt),
    terms: storedTerms(userNameKey, record),
  };
}
