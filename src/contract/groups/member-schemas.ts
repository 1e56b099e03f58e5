import Type, { type Static } from "typebox";
import { Id, Integer } from "../scalars.ts";
import { membershipLimits } from "./group.ts";

const ids = (description: string) =>
  Type.Optional(Type.Array(Id, { maxItems: membershipLimits.patchIds, description }));

/** The body of a change of members. */
export const MembersPatch = Type.Object(
  {
    add: ids("The ids of users that become members. The same id twice counts once."),
    remove: ids("The ids of users that are not members any more. Other ids have no effect."),
  },
  {
    additionalProperties: false,
    description: `At most ${membershipLimits.patchIds} ids in both lists together, and no id in both.`,
  },
);

const count = (description: string) =>
  Integer({ minimum: 0, maximum: membershipLimits.patchIds, description });

/** How many memberships a change really added and removed. */
export const ChangedMembers = Type.Object({
  added: count("Users that became members. Users that were members before do not count."),
  removed: count("Users that were members."),
});
export type ChangedMembers = Static<typeof ChangedMembers>;
