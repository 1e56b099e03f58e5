import type { Shape } from "../../domain/filter/shape.ts";
import { type Entries, elementTerms, type SubTerms, someElement, unlessImplied } from "./entries.ts";
import { allOf, anyOf, type Logic, not } from "./logic.ts";
import { absent, always, type Term, textAt } from "./term.ts";

/** The entries of `emails`, as the fields `email` and `emails` say them together. */
export const emailEntries: Entries = (condition) => {
  if (condition(elementTerms) === true) {
    return anyOf(hasEmail, allOf(emailsFit, someElement(FIELD, hasValue)));
  }
  const inList = anyOf(
    unlessImplied(condition(elementTerms), condition(withValue(elementTerms, absent)), () => hasValue),
    allOf(not(hasValue), conditionOf(condition, elementTerms, emailOfRecord)),
  );
  return anyOf(
    allOf(emailsFit, someElement(FIELD, inList)),
    allOf(conditionOf(condition, ownEntry, email), not(emailHasEntry)),
  );
};

/** The condition of an entry whose value is the email of the user. */
function conditionOf(condition: (terms: SubTerms) => Logic, terms: SubTerms, value: Term): Logic {
  return unlessImplied(condition(withValue(terms, value)), condition(withValue(terms, absent)), () =>
    value("present"),
  );
}

function withValue(terms: SubTerms, value: Term): SubTerms {
  return (sub) => (sub?.name === "value" ? value : terms(sub));
}

const FIELD = "emails";
const VALUE = [{ name: "value" }];

const email = textAt([{ name: "email" }]);
/** The same, in brackets. */
const emailOfRecord = textAt([{ name: "email" }], { ofRecord: true });
const hasEmail = email("present");
/** The entry that belongs to `email` has no value. */
const hasValue = textAt(VALUE)("present");

const facts = { type: "string", display: "string", primary: "boolean" } as const;
const shape: Shape = {
  each: { members: { ...facts, value: "string" }, required: "value" },
  once: { members: facts, isClosed: true },
  uniquelyTrue: "primary",
};
/** Without it, the field is shown among the custom fields. */
export const emailsFit: Logic = { kind: "fits", field: FIELD, shape };

/** Otherwise the email is shown in an entry of its own. */
const emailHasEntry = allOf(
  emailsFit,
  someElement(FIELD, anyOf(not(hasValue), { kind: "same", member: "value", field: "email" })),
);

const hasPrimary = allOf(
  emailsFit,
  someElement(FIELD, { kind: "compare", path: [{ name: "primary" }], operator: "eq", value: true }),
);

/** The entry that the email has if no entry of `emails` has it. It is the primary one, unless another one is. */
const ownEntry: SubTerms = (sub) => {
  switch (sub?.name) {
    case "type":
      return always("work");
    case "primary":
      return (test) => (test === "present" || test.value === true) && not(hasPrimary);
    default:
      return absent;
  }
};
