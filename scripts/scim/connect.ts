import { createScimKey, type ScimCaller } from "../../test/api/scim/support/scim-caller.ts";
import { bearer } from "../../test/support/credentials.ts";
import type { PartOptions } from "./part.ts";

/** Connects to the service of a part with a new key, which has only the scopes for SCIM. */
export function connectToService({ service, key }: PartOptions): Promise<ScimCaller> {
  return createScimKey(service, (path, request) =>
    service.call(path, { ...request, headers: { ...request?.headers, ...bearer(key) } }),
  );
}
