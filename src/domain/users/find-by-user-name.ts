import type { JsonObject } from "../../contract/json.ts";
import { foldEmail } from "../fold.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import type { StoredRecord } from "../records/record.ts";
import { standInName } from "./stand-in-name.ts";
import type { UserStore } from "./user-store.ts";

type UserReads = Pick<UserStore, "findByNames" | "read">;

/** The user with this user name, or with this stand-in for one. */
export function findByUserName(users: UserReads, userName: string): MaybePromise<StoredRecord | undefined> {
  const folded = foldEmail(userName);
  const hasName = (user: StoredRecord | undefined) => user && (nameOf(user) === folded ? user : undefined);
  const [, standsFor] = /^roster-(\d{1,15})$/.exec(folded) ?? [];
  if (standsFor !== undefined) return andThen(users.read(Number(standsFor)), hasName);
  return andThen(users.findByNames([folded]), (ids) => {
    const id = ids.get(folded);
    // By that email, a user is found who has another user name.
    return id === undefined ? undefined : andThen(users.read(id), hasName);
  });
}

function nameOf({ id, json }: StoredRecord): string {
  const { userName, email }: JsonObject = JSON.parse(json);
  if (typeof userName === "string") return foldEmail(userName);
  return typeof email === "string" ? foldEmail(email) : standInName(id);
}
