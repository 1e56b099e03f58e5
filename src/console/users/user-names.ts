import { roster } from "../lib/api.ts";
import { recordNames } from "../lib/record-names.ts";

/** The names of users. A user that is deleted or purged has none. */
export const { useNames: useUserNames, useName: useUserName } = recordNames({
  key: "user",
  scope: "users:read",
  list: async (options) => (await roster.users.list(options).page()).users,
});
