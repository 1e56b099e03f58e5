import { readFlags } from "../../config/config.ts";
import { secretPrefix } from "../../contract/keys/key-secret.ts";
import type { Command } from "../command.ts";
import { listOutputFlag } from "../flags/output-flag.ts";
import { loginFlags } from "../flags/service-flags.ts";
import { printList } from "../output/print-list.ts";
import { printable } from "../output/printable.ts";
import { readProfiles } from "../profiles.ts";

const { profile } = loginFlags;
const flags = { output: listOutputFlag } as const;

export const profiles: Command = {
  flags,
  description:
    "Shows the first characters of keys only. The current profile is the one in ROSTER_PROFILE, or default.",
  examples: ["roster profiles", "roster profiles --output json"],

  async run(args, { env, stdout, stderr }) {
    const { output } = readFlags(flags, args, env, "roster profiles --help");
    const current = env[profile.env] || profile.default;
    const records = [...readProfiles(env)].map(([name, { url, key }]) => ({
      name,
      url,
      keyPrefix: key === undefined ? null : secretPrefix(key),
      current: name === current,
    }));
    printList({ stdout, stderr }, records, output, {
      head: ["NAME", "URL", "KEY", "CURRENT"],
      toRow: ({ name, url, keyPrefix, current }) => [
        name,
        printable(url),
        keyPrefix === null ? "none" : `${keyPrefix}…`,
        current ? "yes" : "",
      ],
      empty: "No profiles yet. Create one: roster login",
    });
  },
};
