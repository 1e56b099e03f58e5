import { readFlags } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import type { Command } from "../command.ts";

export const printVersion: Command = {
  examples: ["roster version"],

  async run(args, { env, stdout }) {
    readFlags({}, args, env, "roster version --help");
    stdout.write(`${version}\n`);
  },
};
