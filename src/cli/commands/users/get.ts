import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { userOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { idFlag } from "../../flags/user-flags.ts";
import { printUser } from "../../output/print-users.ts";

const flags = { id: idFlag, ...userOutputFlags, ...serviceFlags } as const;

export const get: Command = {
  flags,
  description: `The exit code is 3 if the user does not exist.`,
  examples: ["roster users get 7", "roster users get 7 | jq -r .email"],

  async run(args, { env, stdout }) {
    const { id, output, columns, ...service } = readFlags(flags, args, env, "roster users get --help");
    await printUser(stdout, await openClient(service, env).users.get(id), { output, columns });
  },
};
