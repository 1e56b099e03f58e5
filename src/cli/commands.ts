import type { Commands } from "./command.ts";
import { backup } from "./commands/backup.ts";
import { completionOf } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { doctor } from "./commands/doctor.ts";
import { keys } from "./commands/keys.ts";
import { migrate } from "./commands/migrate.ts";
import { move } from "./commands/move.ts";
import { openapi } from "./commands/openapi.ts";
import { restore } from "./commands/restore.ts";
import { seed } from "./commands/seed.ts";
import { serve } from "./commands/serve.ts";
import { users } from "./commands/users.ts";

const completion = completionOf(() => commands);

/** Every command, by its name. `roster --help`, the completion of shells and docs/cli.md are made from this table. */
export const commands: Commands = {
  serve,
  users,
  keys,
  migrate,
  move,
  backup,
  restore,
  seed,
  config,
  openapi,
  doctor,
  completion,
};
