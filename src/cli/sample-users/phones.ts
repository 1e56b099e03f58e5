import type { Random } from "./random.ts";

/** Phone numbers reserved for fiction; `#` is any digit. Users of other countries have no phone. */
const ranges: Readonly<Record<string, string>> = {
  AU: "+61 491 570 ###",
  CA: "+1 416 555 01##",
  DE: "+49 30 23125 ###",
  FR: "+33 6 39 98 ## ##",
  GB: "+44 7700 900###",
  IE: "+353 20 91# ####",
  US: "+1 312 555 01##",
};

export function randomPhone(country: string, random: Random): string | undefined {
  return ranges[country]?.replace(/#/g, () => String(random.below(10)));
}
