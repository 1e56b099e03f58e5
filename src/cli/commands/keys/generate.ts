import { readFlags } from "../../../config/config.ts";
import { createSecret } from "../../../contract/keys/key-secret.ts";
import type { Command } from "../../command.ts";
import { print } from "../../output/print.ts";

export const generate: Command = {
  description: `A service accepts the key in ROSTER_API_KEY in addition to the keys in its database, with all scopes. Use it if your
secrets come from a secret store. Only the key goes to stdout.`,
  examples: [
    "roster keys generate > /run/secrets/roster-key",
    "ROSTER_API_KEY=$(roster keys generate) roster serve",
  ],

  async run(args, { env, stdout, stderr }) {
    readFlags({}, args, env, "roster keys generate --help");
    stdout.write(`${createSecret()}\n`);
    print(stderr, "The key is not stored. Start the service with this key as ROSTER_API_KEY.");
  },
};
