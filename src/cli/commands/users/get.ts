import { userAccess } from "../../records/record-access.ts";
import { getCommand } from "../../records/single-record.ts";

export const get = getCommand(userAccess, {
  description: `The exit code is 3 if the user does not exist.`,
  examples: ["roster users get 7", "roster users get 7 | jq -r .email"],
});
