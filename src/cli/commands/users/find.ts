import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { fail } from "../../fail.ts";
import { oneRecordOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { printRecord } from "../../output/print-records.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = {
  email: {
    flag: "email",
    form: "word",
    takes: "an email",
    about: "The email of the user, upper or lower case.",
    parse: (text: string) => text,
  },
  ...oneRecordOutputFlags,
  ...serviceFlags,
} as const;

export const find: Command = {
  flags,
  description: `The exit code is 3 if no user has the email.`,
  examples: ["roster users find ada@example.com", "id=$(roster users find ada@example.com | jq .id)"],

  async run(args, { env, stdout }) {
    const { email, output, columns, ...service } = readFlags(flags, args, env, "roster users find --help");
    const user = await openClient(service, env).users.find({ email });
    if (!user) fail(`There is no user with the email ${email}.`, exitCodes.notFound.code);
    await printRecord(stdout, userKind, user, { output, columns });
  },
};
