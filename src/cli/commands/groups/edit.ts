import { editCommand } from "../../records/edit-record.ts";
import { groupAccess } from "../../records/record-access.ts";

export const edit = editCommand(groupAccess, [
  "roster groups edit sales",
  'EDITOR="code --wait" roster groups edit 7',
]);
