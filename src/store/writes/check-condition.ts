import { compileExpression } from "../../domain/filter/compile-expression.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { ChangeCondition, MembershipCondition } from "../../domain/users/user-store.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** Tests a user that exists. The index is its place among the ids of the bulk change. */
type ConditionTest = (id: number, index: number, readUser: () => StoredRecord | undefined) => boolean;

/** Reads a user only if the condition has an expression. Parses it only if it has changed since it was found. */
export function checkCondition(
  transaction: WriteTransaction,
  { expression, versions, memberships }: ChangeCondition,
): ConditionTest {
  const tests = memberships.map((condition) => testMembership(transaction, condition));
  let matches: ReturnType<typeof compileExpression> | undefined;
  return (id, index, readUser) => {
    if (!tests.every((test) => test(id))) return false;
    if (!expression) return true;
    const user = readUser();
    if (!user || user.version === versions[index]) return user !== undefined;
    matches ??= compileExpression(expression);
    return matches(JSON.parse(user.json));
  };
}

/** Groups that were removed may still have rows: these do not count. */
function testMembership(
  { groups, memberships }: WriteTransaction,
  { by, values, negated = false }: MembershipCondition,
): (userId: number) => boolean {
  const exists = (groupId: number) => groups.read(groupId) !== undefined;
  if (by === "any") return (userId) => memberships.groupsOf(userId).some(exists) !== negated;
  const existing = values.filter(exists);
  return (userId) => existing.some((groupId) => memberships.has(groupId, userId)) !== negated;
}
