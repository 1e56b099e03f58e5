import { foldEmail } from "../fold.ts";

/** What programs show that need a user name, if a user has neither a user name nor an email. */
export function standInName(id: number): string {
  return `roster-${id}`;
}

/** Whether the text has the form of a stand-in, in any case: it would look like the name of another user. */
export function isStandInName(userName: string): boolean {
  return STAND_IN.test(foldEmail(userName));
}

const STAND_IN = /^roster-\d+$/;

export const STAND_IN_ERROR = "roster- and a number stand for users without a user name. Choose another one.";
