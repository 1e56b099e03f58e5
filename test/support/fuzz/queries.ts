import { columnFields } from "../../../src/contract/users/user-fields.ts";
import { encodeCursor } from "../../../src/domain/lists/cursor.ts";
import { departments, oddNumber, oddText } from "./odd-text.ts";
import type { Random } from "./random.ts";

/** A value that the service accepts for this query parameter, or nearly. */
export function queryValue(random: Random, name: string): string {
  const sort = columnFields[random.below(columnFields.length)] ?? "id";
  const descending = random.chance(0.5);
  switch (name) {
    case "sort":
      return `${descending ? "-" : ""}${random.chance(0.5) ? sort : random.pick(paths)}`;
    case "filter":
      return filterExpression(random, 3);
    case "fields":
      return random.several(1, 4, () => random.pick([...paths, ...columnFields])).join();
    case "count":
    case "dryRun":
      return random.pick(["true", "false"]);
    case "after": {
      const key = random.pick([null, 1, "ada", oddText(random).toWellFormed()]);
      const custom = { custom: random.pick(paths) };
      return encodeCursor(
        { sort: random.chance(0.7) ? sort : custom, descending },
        { key, id: random.below(100), skip: random.below(50) },
      );
    }
    case "department":
      return random.pick(departments);
    case "q":
    case "name":
      return random.pick(["u", "user", "user 1", "ada"]);
    default:
      return oddNumber(random);
  }
}

const paths = ["department", "level", "tags", "address.city", 'odd."a b"', "a.b.c.d"] as const;

/** Mostly valid: odd texts take the place of some parts. */
function filterExpression(random: Random, levels: number): string {
  if (random.chance(0.03)) return oddText(random);
  const part = () => filterExpression(random, levels - 1);
  if (levels > 0 && random.chance(0.4)) {
    return random.pick([
      () => `${part()} and ${part()}`,
      () => `${part()} or (${part()})`,
      () => `not (${part()})`,
      () => `${random.pick(paths)}[${part()}]`,
    ])();
  }
  const path = random.pick([...paths, ...columnFields]);
  if (random.chance(0.2)) return `${path} pr`;
  const operator = random.pick(["eq", "ne", "co", "sw", "ew", "gt", "ge", "LT", "le", "is"]);
  const value = random.pick([
    () =>
      JSON.stringify(
        random.pick(["u", "Engines", "2026-01-01", "2026-01-01T00:00:00+01:00", oddText(random)]),
      ),
    () => oddNumber(random),
    () => random.pick(["true", "false", "null", "[]"]),
  ])();
  return `${path} ${operator} ${value}`;
}
