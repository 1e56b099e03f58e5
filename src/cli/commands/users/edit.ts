import { editCommand } from "../../records/edit-record.ts";
import { userAccess } from "../../records/record-access.ts";

export const edit = editCommand(userAccess, [
  "roster users edit 7",
  'EDITOR="code --wait" roster users edit 7',
]);
