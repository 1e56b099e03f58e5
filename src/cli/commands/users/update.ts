import { readFlags } from "../../../config/config.ts";
import { type Command, describeFlags } from "../../command.ts";
import { openClient, serviceFlags } from "../../service-flags.ts";
import { showUser } from "../../show-users.ts";
import { asPatch, fieldsFlag, idFlag, jsonFlag, readFields, versionFlag } from "../../user-flags.ts";

const flags = {
  id: idFlag,
  fields: fieldsFlag,
  version: versionFlag,
  json: jsonFlag,
  ...serviceFlags,
} as const;

export const update: Command = {
  flags,
  help: `FIELD=null removes a field. Values are read as in roster users create.

Options:
${describeFlags(flags)}
Examples:
  roster users update 7 department=research level=4
  roster users update 7 email=null --if-version 3
  echo '{"address": {"city": "London"}}' | roster users update 7 -
`,

  async run(args, around) {
    const { id, fields, version, json, ...service } = readFlags(
      flags,
      args,
      around.env,
      "roster users update --help",
    );
    const patch = asPatch(await readFields(fields, around));
    const options = version === undefined ? {} : { ifMatch: version };
    showUser(around.stdout, await openClient(service).users.update(id, patch, options), json);
  },
};
