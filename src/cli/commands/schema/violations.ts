import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { formatViolation } from "../../output/format-violation.ts";

export const violations: Command = {
  flags: serviceFlags,
  description:
    "Shows one line for each error. A line has the id of the user, a JSON Pointer to the value, and the error.",
  examples: ["roster schema violations"],

  async run(args, { env, stdout, stderr }) {
    const service = readFlags(serviceFlags, args, env, "roster schema violations --help");
    let users = 0;
    for await (const violation of openClient(service, env).schema.violations()) {
      users++;
      stdout.write(formatViolation(violation));
    }
    if (users === 0) stderr.write("The schema allows all users.\n");
  },
};
