import Type, { type Static } from "typebox";
import { Integer, orNull } from "../scalars.ts";

/** One of these texts. Later versions may add some. */
const Choice = <const Text extends string>(choices: readonly Text[], description: string) =>
  Object.assign(Type.Unsafe<Text>(Type.String()), { pattern: `^(${choices.join("|")})$`, description });
const Count = (description: string) => Integer({ minimum: 0, description });
const Condition = (description: string) => Type.String({ minLength: 1, description });

export const ListPlan = Type.Object(
  {
    kind: Choice(
      ["all", "unique", "walk", "index", "sort"],
      "`all`: reads records in the order of the list; all of them match. `unique`: looks up one record by a unique value. `walk`: reads records in the order of the list, and tests each; with a condition, it first collects the ids in the index of the condition, and reads only these records. `index`: reads the index of a condition in order of id, and tests the records that it names for the other conditions. `sort`: reads the whole index of a condition, and tests and sorts the records that it names.",
    ),
    condition: Type.Optional(
      Condition(
        "The condition whose index is read: the name of a parameter, such as `q` or `department`, or a part of `filter`. Several of them, joined by `and`, if only the ids that their indexes have in common are read.",
      ),
    ),
  },
  { description: "One way to find the records of a list." },
);
export type ListPlan = Static<typeof ListPlan>;

export const ListCondition = Type.Object(
  {
    condition: Condition("The name of a parameter, such as `q` or `department`, or a part of `filter`."),
    entries: orNull(
      Integer({ minimum: 0 }),
      "About how many entries its index has. Null if no index is used: records are only tested.",
    ),
    exact: Type.Boolean({ description: "Whether the entries were counted, and all of them." }),
  },
  { description: "A condition of a list." },
);

export const ListEstimates = Type.Object(
  {
    rows: Count("About how many records there are: the highest id."),
    matches: Count("About how many records meet all conditions."),
    conditions: Type.Array(ListCondition),
  },
  { description: "What Roster knew about a list when it last compared plans." },
);

const rowsExpected = Count("How many rows of the table, or entries of the index, it was expected to read.");

export const ComparedPlan = Type.Object(
  {
    plan: ListPlan,
    rowsExpected,
    microseconds: Count("The CPU time that it was expected to take."),
  },
  { description: "A plan that was considered." },
);

export const ListRound = Type.Object(
  {
    phase: Choice(
      ["offset", "page"],
      "Whether the round skips records for `offset`, or finds records of the page.",
    ),
    plan: ListPlan,
    rowsExpected,
    limit: orNull(
      Integer({ minimum: 0 }),
      "After so many rows or entries, plans are compared again. Where only ids can be limited, so many are expected among these ids. Null without a limit.",
    ),
    rowsRead: Count("How many rows of the table, or entries of the index, it read."),
    matches: Count("How many records it found or skipped."),
  },
  { description: "A part of the work: one plan, up to its limit." },
);

export const ListExplanation = Type.Object(
  {
    order: Type.String({ description: "The parameter `sort`." }),
    plan: ListPlan,
    rowsRead: Count("How many rows of the table, or entries of indexes, all rounds read."),
    statements: Count("How many SQL statements found the page, with those that estimate."),
    found: Count("How many records the page has."),
    hasMore: Type.Boolean({ description: "Whether the list goes on after the page." }),
    complete: Type.Boolean({
      description:
        "False if the allowed work ended before the page was full. The list itself then goes on, for up to 250 ms.",
    }),
    estimates: orNull(ListEstimates, "Null if the list has no conditions, or one record is looked up."),
    compared: Type.Array(ComparedPlan, {
      description: "The plans that were last compared, the cheapest first. Empty if there was no choice.",
    }),
    rounds: Type.Array(ListRound, { description: "What was done, in this order." }),
  },
  { description: "How a page of a list was found." },
);
export type ListExplanation = Static<typeof ListExplanation>;
