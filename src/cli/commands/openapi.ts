import { readFlags } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import { describeApi } from "../../contract/openapi.ts";
import type { Command } from "../command.ts";

export const openapi: Command = {
  description: `The same document as /openapi.json of a service: to generate a client, or to compare two versions.`,
  examples: ["roster openapi > openapi.json", "npx openapi-typescript <(roster openapi) -o roster.d.ts"],

  async run(args, { env, stdout }) {
    readFlags({}, args, env, "roster openapi --help");
    stdout.write(`${JSON.stringify(describeApi(version), undefined, 2)}\n`);
  },
};
