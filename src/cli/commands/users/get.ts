import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { jsonFlag } from "../../flags/switch-flag.ts";
import { idFlag } from "../../flags/user-flags.ts";
import { printUser } from "../../output/print-users.ts";

const flags = { id: idFlag, json: jsonFlag, ...serviceFlags } as const;

export const get: Command = {
  flags,
  description: `Prints JSON: indented on a terminal, on one line in a pipe or with --json. The exit code is 3 if the user does not
exist.`,
  examples: ["roster users get 7", "roster users get 7 | jq -r .email"],

  async run(args, { env, stdout }) {
    const { id, json, ...service } = readFlags(flags, args, env, "roster users get --help");
    printUser(stdout, await openClient(service).users.get(id), json);
  },
};
