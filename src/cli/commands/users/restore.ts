import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { idFlag } from "../../flags/user-flags.ts";
import { printSuccess } from "../../output/print.ts";

const flags = {
  id: { ...idFlag, takes: "the id of a deleted user, such as 7. To find it: `roster users deleted`" },
  email: {
    flag: "email",
    default: "",
    takes: "an email address",
    about: "Another email for the user, if another user has its email now.",
    parse: (text: string) => text,
  },
  userName: {
    flag: "user-name",
    default: "",
    takes: "a user name",
    about: "Another user name for the user, if another user has its user name now.",
    parse: (text: string) => text,
  },
  ...serviceFlags,
} as const;

export const restore: Command = {
  flags,
  description: `The user has the same id as before. The exit code is 3 if there is no deleted user with this id.`,
  examples: ["roster users restore 7", "roster users restore 7 --email ada@example.org"],

  async run(args, { env, stderr }) {
    const { id, email, userName, ...service } = readFlags(flags, args, env, "roster users restore --help");
    const changes = { ...(email !== "" && { email }), ...(userName !== "" && { userName }) };
    await openClient(service, env).deletedUsers.restore(id, changes);
    printSuccess(stderr, `Restored user ${id}.`);
  },
};
