import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** What a caller does, or what goes wrong. Runs at the same time as others. */
export interface Action {
  readonly name: string;
  /** How often it happens, compared with others. */
  readonly weight: number;
  /** False if the rules of tests with real servers do not know it. */
  readonly isPlain?: boolean;
  run(world: World, random: Random): Promise<void>;
}
