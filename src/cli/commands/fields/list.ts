import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { printList } from "../../output/print-list.ts";

const flags = { output: listOutputFlag, ...serviceFlags } as const;

export const list: Command = {
  flags,
  description: `Shows up to 1,000 fields with the types of their values. Fields inside objects are not listed.`,
  examples: ["roster fields list", "roster fields list | jq -r .name"],

  async run(args, { env, stdout, stderr }) {
    const { output, ...service } = readFlags(flags, args, env, "roster fields list --help");
    printList({ stdout, stderr }, await openClient(service, env).fields.list(), output, {
      head: ["NAME", "TYPES"],
      toRow: ({ name, types }) => [name, types.join(", ")],
      empty: "No user has custom fields yet.",
    });
  },
};
