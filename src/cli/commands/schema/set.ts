import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { readSchema, schemaFileFlag } from "../../flags/schema-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";

const flags = { file: schemaFileFlag, ...serviceFlags } as const;

export const set: Command = {
  flags,
  description: `Users that the schema does not allow stay: see roster schema violations. A schema of {} allows everything.`,
  examples: ["roster schema set schema.json", "roster schema set - < schema.json"],

  async run(args, context) {
    const { file, ...service } = readFlags(flags, args, context.env, "roster schema set --help");
    const schema = await readSchema(file, context);
    const { version } = await openClient(service, context.env).schema.set(schema);
    context.stdout.write(`The schema is at version ${version} now.\n`);
  },
};
