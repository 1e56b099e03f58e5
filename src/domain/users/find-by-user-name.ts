import type { JsonObject } from "../../contract/json.ts";
import { foldEmail } from "../fold.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import type { StoredRecord } from "../records/record.ts";
import type { UserStore } from "./user-store.ts";

type UserReads = Pick<UserStore, "findByNames" | "read">;

/** The user with this user name. */
export function findByUserName(users: UserReads, userName: string): MaybePromise<StoredRecord | undefined> {
  const folded = foldEmail(userName);
  return andThen(users.findByNames([folded]), (ids) => {
    const id = ids.get(folded);
    if (id === undefined) return undefined;
    // The email of a user with another user name is found, too.
    return andThen(users.read(id), (user) => (user && userNameOf(user) === folded ? user : undefined));
  });
}

/** The folded user name; undefined without one. */
function userNameOf({ json }: StoredRecord): string | undefined {
  const { userName, email }: JsonObject = JSON.parse(json);
  const name = typeof userName === "string" ? userName : email;
  return typeof name === "string" ? foldEmail(name) : undefined;
}
