import type { JsonObject } from "../../../src/contract/json.ts";
import { finishSteps } from "../../../src/domain/scheduling/steps.ts";
import type { ResourceKind } from "../../../src/scim/attributes.ts";
import * as patch from "../../../src/scim/patch/apply-patch.ts";
import * as parse from "../../../src/scim/patch/parse-patch.ts";

/** Parses the body of a PATCH at once. */
export function parsePatch(kind: ResourceKind, body: unknown): readonly parse.PatchOperation[] {
  return finishSteps(parse.parsePatch(kind, body));
}

/** Applies operations to a document at once. */
export function applyPatch(
  kind: ResourceKind,
  document: JsonObject,
  operations: readonly parse.PatchOperation[],
): JsonObject {
  return finishSteps(patch.applyPatch(kind, document, operations));
}
