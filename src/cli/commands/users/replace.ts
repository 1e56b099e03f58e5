import { userAccess } from "../../records/record-access.ts";
import { changeCommand } from "../../records/single-record.ts";

export const replace = changeCommand(userAccess, "replace", {
  description: `You can send back a whole user: its id, version and times are ignored. Values are parsed as in roster users create.`,
  examples: [
    'roster users replace 7 name="Ada King" email=ada@example.com',
    "roster users get 7 | jq '.level += 1' | roster users replace 7 -",
  ],
});
