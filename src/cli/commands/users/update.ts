import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { userOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { fieldsFlag, idFlag, readFields, toUserPatch, versionFlag } from "../../flags/user-flags.ts";
import { printChangedUser } from "../../output/print-users.ts";

const flags = {
  id: idFlag,
  fields: fieldsFlag,
  version: versionFlag,
  ...userOutputFlags,
  ...serviceFlags,
} as const;

export const update: Command = {
  flags,
  description: `FIELD=null removes a field. Values are parsed as in roster users create.`,
  examples: [
    "roster users update 7 department=research level=4",
    "roster users update 7 email=null --if-version 3",
    `echo '{"address": {"city": "London"}}' | roster users update 7 -`,
  ],

  async run(args, context) {
    const { id, fields, version, output, columns, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users update --help",
    );
    const patch = toUserPatch(await readFields(fields, context));
    const options = version === undefined ? {} : { ifMatch: version };
    await printChangedUser(
      context.stdout,
      id,
      await openClient(service, context.env).users.update(id, patch, options),
      {
        output,
        columns,
      },
    );
  },
};
