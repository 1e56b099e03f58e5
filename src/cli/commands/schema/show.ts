import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";

export const show: Command = {
  flags: serviceFlags,
  description: "Prints the schema as JSON: {} if there is none.",
  examples: ["roster schema show", "roster schema show > schema.json"],

  async run(args, { env, stdout }) {
    const service = readFlags(serviceFlags, args, env, "roster schema show --help");
    const { schema } = await openClient(service, env).schema.get();
    stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  },
};
