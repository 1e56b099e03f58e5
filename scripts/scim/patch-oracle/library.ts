import { scimPatch } from "scim-patch";
import type { JsonObject } from "../../../src/contract/json.ts";

/** A patch that is refused. */
export class Refused extends Error {
  constructor(readonly scimType: string) {
    super(scimType);
  }
}

/** The type of what scim-patch refuses: it throws errors of many classes, with and without a `scimType`. */
export const ANY_TYPE = "any";

/** The document after an operation, as scim-patch sees it. Fails with `Refused`. */
export function patchByLibrary(document: JsonObject, operation: JsonObject): JsonObject {
  const options = { mutateDocument: false, treatMissingAsAdd: true };
  try {
    // scim-patch puts the values of the operation into the document, and modifies them there.
    return scimPatch(document, [structuredClone(operation)], options);
  } catch {
    throw new Refused(ANY_TYPE);
  }
}
