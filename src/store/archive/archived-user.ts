import { indexTerms, parseUser } from "../../domain/users/user.ts";
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
  const changedBy = by === null ? null : Number(by);
  return {
    row: {
      id: Number(id),
      version: Number(version),
      json,
      updatedAt: Number(updatedAt),
      changedBy,
      userNameKey: nameKey === null ? null : String(nameKey),
    },
    createdAt: Number(createdAt),
    terms: indexTerms(parseUser(json).record),
  };
}
