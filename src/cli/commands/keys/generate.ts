import { readFlags } from "../../../config/config.ts";
import { createSecret } from "../../../contract/key-secret.ts";
import type { Command } from "../../command.ts";
import { print } from "../../output/print.ts";

export const generate: Command = {
  help: `A service that is started with ROSTER_API_KEY takes that key too, with every scope: for where keys come from a vault and
not from a database. The key alone goes to stdout.

Options:
  --help             Show this.

Examples:
  roster keys generate > /run/secrets/roster-key
  ROSTER_API_KEY=$(roster keys generate) roster serve
`,

  async run(args, { env, stdout, stderr }) {
    readFlags({}, args, env, "roster keys generate --help");
    stdout.write(`${createSecret()}\n`);
    print(stderr, "It is in no database: a service that is started with it as ROSTER_API_KEY takes it.");
  },
};
