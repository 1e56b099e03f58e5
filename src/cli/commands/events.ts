import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  list: {
    usage: "roster events list [options]",
    about: "List the newest events.",
    load: async () => (await import("./events/list.ts")).list,
  },
  follow: {
    usage: "roster events follow [options]",
    about: "Print events as they happen.",
    load: async () => (await import("./events/follow.ts")).follow,
  },
};

export const events = commandGroup("events", {
  section: "Work with users",
  about: "See who changed which user, group or key, and when.",
  commands,
  description: `These commands call a service, with a key that has the scope events:read.`,
  examples: ["roster events list --user 42", "roster events follow --type user.deleted"],
});
