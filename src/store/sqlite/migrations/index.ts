import users from "./0001_users.sql" with { type: "text" };

/** Every change of the schema, in order. A database's `user_version` says how many it has had. */
export const migrations: readonly string[] = [users];
