import { Link } from "wouter";
import type { RosterEvent } from "../../client/index.ts";
import { activity as texts } from "../texts/activity.ts";
import { useUserName, useUserNames } from "../users/user-names.ts";
import { changedMembers, oneKind } from "./describe-event.ts";

/** Loads the names of the users that the sentences of these events name: one for each event. */
export function useMemberNames(events: readonly RosterEvent[]): void {
  useUserNames(
    events.flatMap((event) => {
      const members = changedMembers(event);
      return (members && oneKind(members)?.ids.slice(0, 1)) ?? [];
    }),
  );
}

/** A user that became a member of a group, or is not one any more, by its name once it is loaded. */
export function Member({ id }: { readonly id: number }) {
  const name = useUserName(id);
  return (
    <Link href={`/users/${id}`}>
      <bdi>{name ?? texts.subjects.user(id)}</bdi>
    </Link>
  );
}
