/** Every text that the console shows, one file per area. */
export { bulk, exporting } from "./bulk.ts";
export { connect } from "./connect.ts";
export { keys, newKey, replaceKey, revokeKey, secret, usageHistory } from "./keys.ts";
export { list, rowMenu } from "./list.ts";
export { ownKey } from "./own-key.ts";
export { broken, failures, scopes, shell, signIn } from "./shell.ts";
export { deleting, user, values } from "./user.ts";
export { noUsers, users } from "./users.ts";
