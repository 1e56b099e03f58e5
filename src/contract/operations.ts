import { keyOperations } from "./key-operations.ts";
import type { Operation } from "./operation.ts";
import type { ProblemType } from "./problems.ts";
import { serviceOperations } from "./service-operations.ts";
import { userOperations } from "./user-operations.ts";

/** Everything that can be asked of the service. */
export const operations = { ...userOperations, ...keyOperations, ...serviceOperations };

/** What any operation may answer, whatever it does: a key in the address is an invalid query everywhere. */
const commonProblems: ProblemType[] = [
  "invalid-query",
  "not-acceptable",
  "wrong-host",
  "internal",
  "unavailable",
];
/** What it may answer when it is not for everybody. */
const authenticationProblems: ProblemType[] = [
  "unauthenticated",
  "key-expired",
  "key-revoked",
  "cross-site",
  "rate-limited",
  "quota-exceeded",
];

/** All that can go wrong with an operation. */
export function listProblems({ access, problems }: Operation): ProblemType[] {
  const door = access === "public" ? [] : authenticationProblems;
  const scope: ProblemType[] =
    access === "public" || access === "authenticated" ? [] : ["insufficient-scope"];
  return [...new Set([...problems, ...door, ...scope, ...commonProblems])];
}
