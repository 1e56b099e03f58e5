import { readFlags } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import { describeApi } from "../../contract/openapi.ts";
import type { Command } from "../command.ts";
import { switchFlag } from "../flags/switch-flag.ts";

const flags = {
  brief: switchFlag(
    "brief",
    "Describe all problems of an operation as one response, and leave out the headers that all responses have. Generators that make code for each status and header, such as oapi-codegen, then make less than a third of the code.",
  ),
} as const;

export const openapi: Command = {
  flags,
  description: `The same document as /openapi.json of a service: to generate a client, or to compare two versions.`,
  examples: [
    "roster openapi > openapi.json",
    "roster openapi --brief > openapi.json",
    "npx openapi-typescript <(roster openapi) -o roster.d.ts",
  ],

  async run(args, { env, stdout }) {
    const { brief } = readFlags(flags, args, env, "roster openapi --help");
    stdout.write(`${JSON.stringify(describeApi(version, undefined, { brief }), undefined, 2)}\n`);
  },
};
