import type { ProblemType } from "./problems.ts";
import { serviceOperations } from "./service-operations.ts";
import { userOperations } from "./user-operations.ts";

/** Everything that can be asked of the service. */
export const operations = { ...userOperations, ...serviceOperations };

/** What any operation may answer, whatever it does. */
export const problemsEverywhere: ProblemType[] = ["not-acceptable", "wrong-host", "internal", "unavailable"];
