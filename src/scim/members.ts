import { isObject, type Json } from "../contract/json.ts";
import { isId } from "../contract/scalars.ts";
import { scimLimits } from "../contract/scim/scim.ts";
import type { Expression } from "../domain/filter/expression.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { coreAttribute } from "./attribute-names.ts";
import { groupKind } from "./attributes.ts";
import { MEMBERS } from "./normalize.ts";
import type { PatchOperation } from "./patch/parse-patch.ts";
import { ScimError } from "./scim-error.ts";

/** What a patch says about the members of a group, as ids of users. */
export interface MemberChange {
  /** All members are these; undefined if members are only added and removed. */
  readonly replace: readonly number[] | undefined;
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** The ids of members, each once. Members are objects, texts, or one of either. Fails with `invalidValue`. */
export function parseMembers(value: Json | undefined): number[] {
  const ids = new Set<number>();
  for (const member of listOf(value)) ids.add(parseMember(member));
  return [...ids];
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function parseMember(member: Json): number {
  const { value, type } = readMember(member);
  if (typeof value !== "string") {
    throw new ScimError("invalidValue", "members: send an object with the id of a user as value.");
  }
  const isGroup = typeof type === "string" && type.toLowerCase() !== "user";
  if (isGroup || !isId(value)) {
    const shown = JSON.stringify(value.slice(0, MAX_SHOWN));
    const reason =
      isGroup || GROUP_ID.test(value) ? "groups have no groups as members" : "no user has this id";
    throw new ScimError("invalidValue", `members: ${shown} cannot be a member, because ${reason}.`);
  }
  return Number(value);
}

const GROUP_ID = /^g\d+$/i;
const MAX_SHOWN = 40;

/** The members of a value that matter, with names in any case. The last one of a name counts. */
function readMember(member: Json): { value?: Json | undefined; type?: Json | undefined } {
  if (!isObject(member)) return { value: member };
  let value: Json | undefined;
  let type: Json | undefined;
  for (const name in member) {
    const lowerCase = name.toLowerCase();
    if (lowerCase === "value") value = member[name];
    else if (lowerCase === "type") type = member[name];
  }
  return { value, type };
}

const membersAttribute = coreAttribute(groupKind, MEMBERS);

/**
 * What the operations on `members` do together, in their order. Undefined if there are none. Fails with a `ScimError`, or with
 * `too-large`.
 */
export function memberChange(operations: readonly PatchOperation[]): MemberChange | undefined {
  const collected = new CollectedMembers();
  let isAny = false;
  for (const operation of operations) {
    if (!isMemberOperation(operation)) continue;
    isAny = true;
    collected.apply(operation);
  }
  return isAny ? collected.change : undefined;
}

export function isMemberOperation({ path: { attribute, urn } }: PatchOperation): boolean {
  return attribute === membersAttribute && urn === undefined;
}

class CollectedMembers {
  #replace: Set<number> | undefined;
  readonly #add = new Set<number>();
  readonly #remove = new Set<number>();
  #count = 0;

  get change(): MemberChange {
    return {
      replace: this.#replace && [...this.#replace],
      add: [...this.#add],
      remove: [...this.#remove],
    };
  }

  apply({ op, path: { sub, where, text }, value }: PatchOperation): void {
    // What a member is called is not stored.
    if (sub?.returned === "never") return;
    if (sub)
      throw new ScimError("mutability", `${text.slice(0, MAX_SHOWN)}: add and remove members instead.`);
    if (where && op === "replace") {
      throw new ScimError("mutability", "A member cannot be replaced. Remove it, and add another one.");
    }
    if (where) {
      const ids = selectedIds(where.expression);
      this.#countAll(ids.length);
      if (op === "add") this.#addAll(ids);
      else this.#removeAll(ids);
      return;
    }
    const isAll = op === "replace" || (op === "remove" && (value === undefined || value === null));
    if (isAll) this.#replaceAll();
    const listed = listOf(value);
    this.#countAll(listed.length);
    if (op === "remove") this.#removeAll(listed.map(findId).filter((id) => id !== undefined));
    else this.#addAll(listed.map(parseMember));
  }

  #replaceAll(): void {
    this.#replace = new Set();
    this.#add.clear();
    this.#remove.clear();
  }

  #addAll(ids: readonly number[]): void {
    for (const id of ids) {
      if (this.#replace) this.#replace.add(id);
      else {
        this.#add.add(id);
        this.#remove.delete(id);
      }
    }
  }

  #removeAll(ids: readonly number[]): void {
    for (const id of ids) {
      if (this.#replace) this.#replace.delete(id);
      else {
        this.#remove.add(id);
        this.#add.delete(id);
      }
    }
  }

  #countAll(members: number): void {
    const { memberChanges } = scimLimits;
    this.#count += members;
    if (this.#count <= memberChanges) return;
    throw new ProblemError(
      "too-large",
      `A PATCH changes at most ${memberChanges} members. Send several, or PUT the group.`,
    );
  }
}

/** Undefined for a text that cannot be the id of a user: no member has it. */
function findId(member: Json): number | undefined {
  const { value } = readMember(member);
  if (typeof value !== "string") {
    throw new ScimError("invalidValue", "members: send an object with the id of a user as value.");
  }
  return isId(value) ? Number(value) : undefined;
}

/** The ids that a filter selects: it can only compare `value` and `type`. */
function selectedIds(expression: Expression): number[] {
  if (expression.kind === "or") return expression.operands.flatMap(selectedIds);
  if (expression.kind === "and") {
    const [first = [], ...others] = expression.operands
      .filter((operand) => !isUserType(operand))
      .map(selectedIds);
    return first.filter((id) => others.every((ids) => ids.includes(id)));
  }
  if (expression.kind === "compare" && expression.operator === "eq" && expression.path[0]?.name === "value") {
    const text = String(expression.value);
    return isId(text) ? [Number(text)] : [];
  }
  throw new ScimError("invalidPath", 'Select members by their ids, as in members[value eq "42"].');
}

function isUserType(expression: Expression): boolean {
  if (expression.kind !== "compare" || expression.operator !== "eq") return false;
  const { path, value } = expression;
  return path[0]?.name === "type" && typeof value === "string" && value.toLowerCase() === "user";
}
