import { groupAccess } from "../../records/record-access.ts";
import { createCommand } from "../../records/single-record.ts";

export const create = createCommand(groupAccess, {
  description: `Values that are valid JSON (3, true, null, [1,2]) are parsed as JSON. Other values are text. Names are always text.`,
  examples: [
    'roster groups create name="Sales north" region=north',
    `echo '{"name": "Engines", "owners": [7]}' | roster groups create -`,
  ],
});
