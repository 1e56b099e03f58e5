import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { userOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { fieldsFlag, idFlag, readFields, toUserInput, versionFlag } from "../../flags/user-flags.ts";
import { printChangedUser } from "../../output/print-users.ts";

const flags = {
  id: idFlag,
  fields: fieldsFlag,
  version: versionFlag,
  ...userOutputFlags,
  ...serviceFlags,
} as const;

export const replace: Command = {
  flags,
  description: `You can send back a whole user: its id, version and times are ignored. Values are parsed as in roster users create.`,
  examples: [
    'roster users replace 7 name="Ada King" email=ada@example.com',
    "roster users get 7 | jq '.level += 1' | roster users replace 7 -",
  ],

  async run(args, context) {
    const { id, fields, version, output, columns, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users replace --help",
    );
    const input = toUserInput(await readFields(fields, context));
    const options = version === undefined ? {} : { ifMatch: version };
    await printChangedUser(
      context.stdout,
      id,
      await openClient(service, context.env).users.replace(id, input, options),
      {
        output,
        columns,
      },
    );
  },
};
