import type { Command } from "../lib/commands.ts";
import { palette as texts } from "../texts/palette.ts";
import { UserRoundPlus } from "../ui/icons.ts";

/** "New user", in the users view and everywhere else. */
export const newUserCommand = (run: Command["run"]): Command => ({
  id: "new-user",
  label: texts.newUser,
  icon: UserRoundPlus,
  run,
});
