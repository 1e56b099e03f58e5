import { changeMembersCommand } from "../../change-members.ts";

export const add = changeMembersCommand("add", {
  description: `Makes users members of a group, and prints how many were not members before. Each request has
up to 1,000 ids, and applies to all of them or to none: if a user does not exist, the command says which, and ends.`,
  examples: [
    "roster groups add sales 7 8 9",
    "roster users list --q ada --all | jq .id | roster groups add sales -",
  ],
});
