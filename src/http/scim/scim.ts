import { SCIM_PREFIX } from "../../contract/scim/scim.ts";
import { scimOperations, scimSelfOperations } from "../../contract/scim/scim-operations.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { Router } from "../router.ts";
import { serveScimBulk } from "./bulk.ts";
import { serveDiscovery } from "./discovery.ts";
import { scimGroups } from "./groups.ts";
import { serveScimLists } from "./lists.ts";
import { serveResources } from "./resources.ts";
import { scimErrorResponse } from "./scim-error-response.ts";
import type { ScimParts } from "./scim-parts.ts";
import { scimUsers } from "./users.ts";

/** The segments of paths, by their lower case: paths of SCIM match in any case. */
const spellings = new Map(
  scimOperations
    .flatMap(({ path }) => path.split("/"))
    .map((segment) => [segment.toLowerCase(), segment] as const),
);

function spellPath(path: string): string {
  const segments = path.split("/").map((segment) => spellings.get(segment.toLowerCase()) ?? segment);
  return segments.join("/");
}

/** Registers the handlers of SCIM, and the format of its errors. */
export function serveScim(router: Router, parts: ScimParts): void {
  router.addArea({ prefix: SCIM_PREFIX, renderProblem: scimErrorResponse, spell: spellPath });
  serveDiscovery(router, parts);
  const resources = [scimUsers(parts), scimGroups(parts)];
  for (const each of resources) serveResources(router, each, parts);
  serveScimBulk(router, resources, parts);
  serveScimLists(router, parts);
  for (const operation of scimSelfOperations) {
    router.serve(operation, () => {
      throw new ProblemError("not-implemented");
    });
  }
}
