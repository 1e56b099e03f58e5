import { readFlags } from "../../../config/config.ts";
import { type Command, describeFlags } from "../../command.ts";
import { openClient, serviceFlags } from "../../service-flags.ts";
import { showUser } from "../../show-users.ts";
import { asInput, fieldsFlag, idFlag, jsonFlag, readFields, versionFlag } from "../../user-flags.ts";

const flags = {
  id: idFlag,
  fields: fieldsFlag,
  version: versionFlag,
  json: jsonFlag,
  ...serviceFlags,
} as const;

export const replace: Command = {
  flags,
  help: `A user that was shown can be sent back whole: its id, version and times are ignored. Values are read as in roster
users create.

Options:
${describeFlags(flags)}
Examples:
  roster users replace 7 name="Ada King" email=ada@example.com
  roster users get 7 | jq '.level += 1' | roster users replace 7 -
`,

  async run(args, around) {
    const { id, fields, version, json, ...service } = readFlags(
      flags,
      args,
      around.env,
      "roster users replace --help",
    );
    const input = asInput(await readFields(fields, around));
    const options = version === undefined ? {} : { ifMatch: version };
    showUser(around.stdout, await openClient(service).users.replace(id, input, options), json);
  },
};
