import { readFlags } from "../../config/config.ts";
import type { Command } from "../command.ts";
import { loginFlags, unknownProfile } from "../flags/service-flags.ts";
import { printSuccess } from "../output/print.ts";
import { readProfiles, writeProfiles } from "../profiles.ts";

const { profile } = loginFlags;
const flags = { profile } as const;

export const logout: Command = {
  flags,
  description: `Removes a profile with its key from this machine. The key stays active: to end it, use roster keys revoke on the host
of the service.`,
  examples: ["roster logout", "roster logout --profile production"],

  async run(args, { env, stderr }) {
    const { value: name } = readFlags(flags, args, env, "roster logout --help").profile;
    const profiles = new Map(readProfiles(env));
    if (!profiles.delete(name)) throw unknownProfile(name, [...profiles.keys()]);
    writeProfiles(env, profiles);
    printSuccess(stderr, `Removed the profile ${name}.`);
  },
};
