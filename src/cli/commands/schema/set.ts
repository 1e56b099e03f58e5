import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { readSchemaFile, schemaFileFlag } from "../../flags/schema-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";

const flags = { file: schemaFileFlag, ...serviceFlags } as const;

export const set: Command = {
  flags,
  description: `Users that the schema does not allow stay: see roster schema violations. A schema of {} allows everything.`,
  examples: ["roster schema set schema.json"],

  async run(args, { env, stdout }) {
    const { file, ...service } = readFlags(flags, args, env, "roster schema set --help");
    const { version } = await openClient(service, env).schema.set(readSchemaFile(file));
    stdout.write(`The schema is at version ${version} now.\n`);
  },
};
