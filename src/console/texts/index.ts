/** Every text of the console, by the view that shows it. */
export { failures, scopes, shell, signIn } from "./shell.ts";
export { help, users } from "./users.ts";
