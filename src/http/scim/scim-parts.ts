import { SCIM_PREFIX } from "../../contract/scim/scim.ts";
import type { Clock } from "../../domain/clock.ts";
import type { GroupStore } from "../../domain/groups/group-store.ts";
import type { Groups } from "../../domain/groups/groups.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { loopShare, type TurnOptions } from "../../domain/scheduling/loop-share.ts";
import type { Schemas } from "../../domain/schema/schemas.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import type { Users } from "../../domain/users/users.ts";
import type { CallerLimits } from "../access/caller-limits.ts";
import type { BodyReader } from "../body-reader.ts";
import type { Links } from "../links.ts";
import type { RequestContext } from "../request-context.ts";
import type { Streams } from "../streams/streams.ts";

/** What the handlers of SCIM need. */
export interface ScimParts {
  readonly users: Users;
  readonly groups: Groups;
  readonly memberships: Pick<GroupStore, "listMemberships">;
  readonly userNames: Pick<UserStore, "find">;
  readonly schemas: Pick<Schemas, "current">;
  readonly bodyReader: BodyReader;
  readonly links: Links;
  readonly limits: CallerLimits;
  readonly streams: Streams;
  readonly clock: Clock;
  /** Whether the caller of an admitted request may still call. */
  readonly isStillAdmitted: (context: RequestContext) => MaybePromise<boolean>;
  /** Whether the caller of a public operation may read users too. */
  readonly mayReadUsers: (context: RequestContext) => Promise<boolean>;
}

/** The URL of a path below the prefix of SCIM, such as `/Users/42`. */
export type Locate = (path: string) => string;

export function locateFor(context: RequestContext, { links }: Pick<ScimParts, "links">): Locate {
  const base = links.locate(context, SCIM_PREFIX);
  return (path) => base + path;
}

/** A turn of the event loop for the work of a request. */
export function turnOf(context: RequestContext, { limits }: Pick<ScimParts, "limits">): TurnOptions {
  return { owner: limits.findOwner(context), alone: true };
}

/** Between two parts of the work of a request: others go on if the first part took long. */
export async function giveWay(context: RequestContext, parts: Pick<ScimParts, "limits">): Promise<void> {
  if (loopShare.isSpent) await loopShare.nextTurn(turnOf(context, parts));
}
