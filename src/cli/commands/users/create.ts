import { userAccess } from "../../records/record-access.ts";
import { createCommand } from "../../records/single-record.ts";

export const create = createCommand(userAccess, {
  description: `Values that are valid JSON (3, true, null, [1,2]) are parsed as JSON. Other values are text. Names, emails and user
names are always text.`,
  examples: [
    'roster users create name="Ada Lovelace" email=ada@example.com level=3',
    `echo '{"name": "Ada", "tags": ["engines"]}' | roster users create -`,
  ],
});
