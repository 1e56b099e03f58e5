import { hasFields } from "./has-fields.ts";
import { unexpectedBody } from "./resource.ts";
import type { ChangedMembers } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { ChangeOptions, Id } from "./types.ts";

/** Most ids of one request. */
const MAX_IDS = 1000;

export interface MemberChange {
  readonly group: Id;
  readonly kind: "add" | "remove";
  readonly userIds: readonly Id[];
}

/** Adds users to a group, or removes them, with a request for each 1,000 ids. Returns how many memberships changed. */
export async function changeMembers(
  transport: ServiceTransport,
  { group, kind, userIds }: MemberChange,
  options: ChangeOptions = {},
): Promise<ChangedMembers> {
  if (userIds.length > MAX_IDS && (options.ifMatch ?? options.ifUnchanged) !== undefined) {
    throw new RangeError(`A precondition applies to one request: pass at most ${MAX_IDS} ids.`);
  }
  let [added, removed, start] = [0, 0, 0];
  do {
    const body = { [kind]: userIds.slice(start, start + MAX_IDS).map(Number) };
    const headers = { "content-type": "application/json" };
    const response = await transport.call("PATCH", ["groups", group, "members"], options, body, headers);
    if (!hasFields<ChangedMembers>(response.body, { added: "number", removed: "number" })) {
      throw unexpectedBody(response, "a change of members");
    }
    added += response.body.added;
    removed += response.body.removed;
    start += MAX_IDS;
  } while (start < userIds.length);
  return { added, removed };
}
