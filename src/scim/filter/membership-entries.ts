import type { Expression } from "../../domain/filter/expression.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { MembershipFilter } from "../../domain/lists/listing.ts";
import type { ResourceKind } from "../attributes.ts";
import type { Entries, SubTerms } from "./entries.ts";
import type { Logic } from "./logic.ts";
import { absent, always, numberAfter, type Term, Unfilterable } from "./term.ts";

/** Notes a filter by memberships, and returns what stands for it in the expression. */
type NoteFilter = (filter: MembershipFilter) => Expression;

/** The entries of `groups` of users, or of `members` of groups: filters by memberships. */
export function membershipEntries(kind: ResourceKind["name"], note: NoteFilter): Entries {
  const { forms, type, prefix } = kinds[kind];
  const unfilterable = (): never => {
    throw new Unfilterable(`${forms}, also in not (…), joined by and with the rest`);
  };
  const equals =
    (filterOf: (text: string) => MembershipFilter | undefined): Term =>
    (test) => {
      if (test === "present") return true;
      if (test.operator !== "eq" || typeof test.value !== "string") return unfilterable();
      const filter = filterOf(test.value);
      return filter !== undefined && note(filter);
    };
  const terms: SubTerms = (sub) => {
    switch (sub?.name) {
      case "value":
        return equals((text) => {
          const id = numberAfter(prefix, text);
          return id === undefined ? undefined : { kind: "membership", by: "id", values: [id] };
        });
      case "display":
        return kind === "User"
          ? equals((text) => ({ kind: "membership", by: "name", values: [foldEmail(text.trim())] }))
          : absent;
      case "type":
        return always(type);
      case "$ref":
        return (test) => test === "present" || unfilterable();
      default:
        return absent;
    }
  };
  return (condition): Logic => {
    const met = condition(terms);
    if (met === true) return note({ kind: "membership", by: "any", values: [] });
    // What stands for a filter: one entry cannot meet several.
    return met === false || met.kind === "present" ? met : unfilterable();
  };
}

const kinds = {
  User: {
    forms: 'groups.value eq "g7", groups.display eq "Sales" or groups pr',
    type: "direct",
    prefix: "g",
  },
  Group: { forms: 'members.value eq "42" or members pr', type: "User", prefix: "" },
} as const;
