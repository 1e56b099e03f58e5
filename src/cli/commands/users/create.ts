import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { userOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { fieldsFlag, readFields, toUserInput } from "../../flags/user-flags.ts";
import { printUser } from "../../output/print-users.ts";

const flags = {
  fields: fieldsFlag,
  idempotencyKey: {
    flag: "idempotency-key",
    default: "",
    takes: "1 to 255 printable characters",
    about: "Identifies this create: repeating it with the same key creates no second user.",
    parse: (text: string) => text || undefined,
  },
  ...userOutputFlags,
  ...serviceFlags,
} as const;

export const create: Command = {
  flags,
  description: `Values that are valid JSON (3, true, null, [1,2]) are parsed as JSON. Other values are text. Names, emails and user
names are always text.`,
  examples: [
    'roster users create name="Ada Lovelace" email=ada@example.com level=3',
    `echo '{"name": "Ada", "tags": ["engines"]}' | roster users create -`,
  ],

  async run(args, context) {
    const { fields, idempotencyKey, output, columns, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users create --help",
    );
    const input = toUserInput(await readFields(fields, context));
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    await printUser(context.stdout, await openClient(service, context.env).users.create(input, options), {
      output,
      columns,
    });
  },
};
