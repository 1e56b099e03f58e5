import { foldCase, foldEmail } from "./fold.ts";

/** The fields whose texts are compared like emails, also where filters respect the case of other fields. */
const likeEmail: ReadonlySet<string> = new Set(["email", "userName"]);

/** Whether texts in the field are compared like emails. Fields in objects are not: `name` can be a path of `fieldPath`. */
export function isLikeEmail(name: string): boolean {
  return likeEmail.has(name);
}

/** How texts in a field are folded before they are compared. */
export function foldOf(name: string): (text: string) => string {
  return isLikeEmail(name) ? foldEmail : foldCase;
}
