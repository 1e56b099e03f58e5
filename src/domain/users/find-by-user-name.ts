import type { JsonObject } from "../../contract/json.ts";
import { foldEmail } from "../fold.ts";
import type { StoredRecord } from "../records/record.ts";
import type { UserStore } from "./user-store.ts";

/** The user with this user name. */
export async function findByUserName(
  users: Pick<UserStore, "find">,
  userName: string,
): Promise<StoredRecord | undefined> {
  const folded = foldEmail(userName);
  const found = await users.find([], [folded]);
  // A user with another user name is found by its email, too.
  return found.find((user) => userNameOf(user) === folded);
}

/** The folded user name; undefined without one. */
function userNameOf({ json }: StoredRecord): string | undefined {
  const { userName, email }: JsonObject = JSON.parse(json);
  const name = typeof userName === "string" ? userName : email;
  return typeof name === "string" ? foldEmail(name) : undefined;
}
