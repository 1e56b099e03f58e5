import type { Invariant } from "../invariant.ts";
import type { World } from "../world.ts";
import { AccessEnds } from "./access-ends.ts";
import { AccessIsGiven } from "./access-is-given.ts";
import { DeliveredInOrder } from "./delivered-in-order.ts";
import { EveryEventOnce } from "./every-event-once.ts";
import { FollowersProgress } from "./followers-progress.ts";
import { InactiveIsNotSent } from "./inactive-is-not-sent.ts";
import { KeysAreRequired } from "./keys-are-required.ts";
import { ListsOfEventsAreFresh } from "./lists-of-events-are-fresh.ts";
import { MembersAgree } from "./members-agree.ts";
import { MemoryIsBounded } from "./memory-is-bounded.ts";
import { NoInternalError } from "./no-internal-error.ts";
import { OneLease } from "./one-lease.ts";
import { PurgedIsGone } from "./purged-is-gone.ts";
import { ReadsAreFresh } from "./reads-are-fresh.ts";
import { RefusedNeverHappens } from "./refused-never-happens.ts";
import { ResponsesAreErased } from "./responses-are-erased.ts";
import { RulesOfRealServers } from "./rules-of-real-servers.ts";
import { VersionsInOrder } from "./versions-in-order.ts";

export function createInvariants(world: World): readonly Invariant[] {
  return [
    new NoInternalError(),
    new EveryEventOnce(world),
    new FollowersProgress(world),
    new VersionsInOrder(),
    new MembersAgree(world),
    new RefusedNeverHappens(world),
    new ReadsAreFresh(),
    new ListsOfEventsAreFresh(world),
    new KeysAreRequired(world),
    new AccessEnds(world),
    new AccessIsGiven(world),
    new PurgedIsGone(world),
    new ResponsesAreErased(world),
    new OneLease(world),
    new DeliveredInOrder(world),
    new InactiveIsNotSent(world),
    new MemoryIsBounded(world),
    new RulesOfRealServers(world),
  ];
}
