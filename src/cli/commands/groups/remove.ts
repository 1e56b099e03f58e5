import { changeMembersCommand } from "../../change-members.ts";

export const remove = changeMembersCommand("remove", {
  description: `Ends the memberships of users in a group, and prints how many were members. The users stay.`,
  examples: [
    "roster groups remove sales 7 8 9",
    "roster groups members 7 --all | jq .id | roster groups remove 7 -",
  ],
});
