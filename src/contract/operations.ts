import { bulkOperations } from "./bulk/bulk-operations.ts";
import { eventOperations } from "./events/event-operations.ts";
import { groupOperations } from "./groups/group-operations.ts";
import { groupImportOperations } from "./groups/import-operations.ts";
import { memberOperations } from "./groups/member-operations.ts";
import { membershipOperations } from "./groups/membership-operations.ts";
import { keyOperations } from "./keys/key-operations.ts";
import type { Operation } from "./operation.ts";
import { type ProblemType, problems } from "./problems.ts";
import { schemaOperations } from "./schema/schema-operations.ts";
import { serviceOperations } from "./service-operations.ts";
import { deletedUserOperations } from "./users/deleted-user-operations.ts";
import { fieldOperations } from "./users/field-operations.ts";
import { statsOperations } from "./users/stats-operations.ts";
import { userOperations } from "./users/user-operations.ts";
import { deliveryOperations } from "./webhooks/delivery-operations.ts";
import { webhookOperations } from "./webhooks/webhook-operations.ts";

/** Every operation of the service. */
export const operations = {
  ...userOperations,
  ...bulkOperations,
  ...deletedUserOperations,
  ...fieldOperations,
  ...statsOperations,
  ...groupOperations,
  ...groupImportOperations,
  ...memberOperations,
  ...membershipOperations,
  ...schemaOperations,
  ...eventOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...keyOperations,
  ...serviceOperations,
};

/** Problems of every operation. An API key in the URL is an `invalid-query` everywhere, an invalid Host an `invalid-header`. */
const commonProblems: ProblemType[] = [
  "invalid-query",
  "invalid-header",
  "not-acceptable",
  "wrong-host",
  "internal",
  "unavailable",
];
/** Problems of every operation that is not public. */
const authenticationProblems: ProblemType[] = [
  "unauthenticated",
  "key-expired",
  "key-revoked",
  "cross-site",
  "rate-limited",
  "quota-exceeded",
];

const problemOrder = Object.keys(problems);

/** Every problem type that an operation can respond with, always in the same order. */
export function listProblems({ access, problems: ownProblems }: Operation): ProblemType[] {
  const authentication = access === "public" ? [] : authenticationProblems;
  const scope: ProblemType[] =
    access === "public" || access === "authenticated" ? [] : ["insufficient-scope"];
  const types = new Set([...ownProblems, ...authentication, ...scope, ...commonProblems]);
  return [...types].sort((a, b) => problemOrder.indexOf(a) - problemOrder.indexOf(b));
}
