import { join } from "node:path";
import { root } from "../paths.ts";

/**
 * The command that runs Roster: in `npm run test:all` and `npm run test:slow`, the executable that test/run.ts builds; in
 * `npm test`, which starts few processes, the source. A process of the executable starts with a fifth of the CPU time.
 */
export const rosterCommand: readonly string[] = process.env.ROSTER_TEST_EXECUTABLE
  ? [process.env.ROSTER_TEST_EXECUTABLE]
  : [process.execPath, join(root, "src/cli/main.ts")];
