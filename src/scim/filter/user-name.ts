import { compileTest } from "../../domain/filter/compile-test.ts";
import { foldEmail } from "../../domain/fold.ts";
import { standInName } from "../../domain/users/stand-in-name.ts";
import { allOf, anyOf, type Logic, not } from "./logic.ts";
import { numberAfter, type Term, textAt, type ValueTest } from "./term.ts";

const ownName = textAt([{ name: "userName" }], { direct: true });
const email = textAt([{ name: "email" }]);

/** The user name: `userName`, else the email, else what stands for it. */
export const userName: Term = (test) => {
  if (test === "present") return true;
  const hasNoName = not(ownName("present"));
  return anyOf(
    ownName(test),
    allOf(hasNoName, email(test)),
    allOf(hasNoName, not(email("present")), standIn(test)),
  );
};

/** What every stand-in starts with. An id follows. */
const PREFIX = standInName(1).slice(0, -1);

/** The form of every stand-in decides most tests, without the id. */
function standIn(test: Exclude<ValueTest, "present">): Logic {
  const { operator } = test;
  if (typeof test.value !== "string") return false;
  const value = foldEmail(test.value);
  if (operator === "eq") {
    const id = numberAfter(PREFIX, value);
    return id !== undefined && { kind: "compare", path: ID, operator, value: id };
  }
  const dependsOnId =
    operator === "co" || operator === "ew"
      ? ENDS_LIKE_STAND_IN.test(value)
      : value.startsWith(PREFIX) && value !== PREFIX;
  if (dependsOnId) return { kind: "compare", path: ID, operator, value, prefix: PREFIX };
  return compileTest(operator, value, () => foldEmail)(standInName(1));
}

const ID = [{ name: "id" }];
/** A part of a stand-in that ends with digits. */
const ENDS_LIKE_STAND_IN = /^(?:r?o?s?t?e?r?-)?\d+$/;
