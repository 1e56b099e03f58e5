import users from "./0001_users.sql" with { type: "text" };

/** Every change of the schema, in order. `roster.about` says how many a database has had. */
export const migrations: readonly string[] = [users];
