import fc from "fast-check";
import type { JsonObject } from "../../../src/contract/json.ts";
import { comparable, explain, type Outcome, patchByOracle } from "./explain.ts";
import { type PlannedOperation, plannedPatch, toJson } from "./generate-patch.ts";
import { knownDifferences } from "./known-differences.ts";
import type { PatchedUser } from "./patched-user.ts";

/** Creates a user from the body of a POST. */
type NewUser = (body: JsonObject) => Promise<PatchedUser>;

/** What comparisons have found. */
export class Findings {
  readonly #counts = new Map<string, number>();
  #operations = 0;
  #equal = 0;
  #patches = 0;

  addOperation(differences: readonly string[]): void {
    this.#operations += 1;
    if (differences.length === 0) this.#equal += 1;
    for (const name of differences) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  addPatch(): void {
    this.#patches += 1;
  }

  describe(): string {
    const known = knownDifferences.map(
      ({ name, reason }) => `${String(this.#counts.get(name) ?? 0).padStart(7)} ${name}: ${reason}`,
    );
    return [
      `${this.#operations} operations, of which ${this.#equal} have the same effect. The others show these differences:`,
      ...known,
      `${this.#patches} patches of several operations have the effect of their operations one by one.`,
    ].join("\n");
  }

  /** The differences that no operation shows: nothing says that they are still right. */
  get unseen(): readonly string[] {
    return knownDifferences.map(({ name }) => name).filter((name) => !this.#counts.has(name));
  }
}

/** Compares random patches. Returns what is wrong with the first one that differs in an unknown way, as short as possible. */
export async function comparePatches(
  newUser: NewUser,
  { seed, patches }: { readonly seed: number; readonly patches: number },
  findings: Findings,
): Promise<readonly string[]> {
  let users = 0;
  const property = fc.asyncProperty(plannedPatch, async ({ user, operations }) => {
    users += 1;
    const body = { ...user, userName: `user-${users}@oracle.example` };
    const last = await patchOneByOne(await newUser(body), operations, findings);
    if (operations.length > 1 && last) await patchAtOnce(await newUser(body), operations, { last, findings });
  });
  const result = await fc.check(property, { seed, numRuns: patches });
  return result.failed ? [`seed ${seed}: ${String(result.errorInstance)}`] : [];
}

/** Returns the outcome of the last operation, or of the first one that is refused. Undefined if it depends on how they are sent. */
async function patchOneByOne(
  user: PatchedUser,
  operations: readonly PlannedOperation[],
  findings: Findings,
): Promise<Outcome | undefined> {
  let last: Outcome | undefined;
  let isStepwise = true;
  for (const operation of operations) {
    const { document } = user;
    const json = toJson(operation);
    const outcome = await user.patch([json]);
    const differences = explain(operation, document, outcome);
    if (!differences) {
      const oracle = patchByOracle(operation, document);
      throw new Error(
        `${JSON.stringify(json)} of ${JSON.stringify(targetsOf(operation, document))}: Roster ${describe(outcome, document)}, scim-patch ${describe(oracle, document)}, and no known difference explains it.`,
      );
    }
    findings.addOperation(differences.map(({ name }) => name));
    // What is not stored after one operation can get a value by the next one.
    if (differences.some(({ finish }) => finish)) isStepwise = false;
    if (!last || !("refused" in last)) last = outcome;
  }
  await user.remove();
  return isStepwise ? last : undefined;
}

async function patchAtOnce(
  user: PatchedUser,
  planned: readonly PlannedOperation[],
  { last, findings }: { readonly last: Outcome; readonly findings: Findings },
): Promise<void> {
  const { document } = user;
  const operations = planned.map(toJson);
  const outcome = await user.patch(operations);
  if (!isSameExceptId(outcome, last)) {
    throw new Error(
      `${JSON.stringify(operations)}: at once, Roster ${describe(outcome, document)}, one by one ${describe(last, document)}.`,
    );
  }
  // The new user name of this user can come again.
  if (user.document.userName !== document.userName) await user.remove();
  findings.addPatch();
}

/** The attributes and extensions that an operation names, as they are. */
function targetsOf(operation: PlannedOperation, document: JsonObject): JsonObject {
  const names = operation.map(({ target: { urn, name = "" } }) => urn ?? name);
  return Object.fromEntries(Object.entries(document).filter(([name]) => names.includes(name)));
}

/** Whether both are refused, for whatever reason, or both have the same document. */
function isSameExceptId(one: Outcome, other: Outcome): boolean {
  if ("refused" in one || "refused" in other) return "refused" in one && "refused" in other;
  const [{ id: _, ...document }, { id: __, ...expected }] = [one.document, other.document];
  return Bun.deepEquals(comparable(document), comparable(expected));
}

/** The attributes that an operation changes. */
function describe(outcome: Outcome, before: JsonObject): string {
  if ("refused" in outcome) return `refuses it (${outcome.refused})`;
  const [old, next] = [comparable(before), comparable(outcome.document)];
  const changed = [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((name) => !Bun.deepEquals(old[name], next[name]))
    .map((name) => `${name} from ${JSON.stringify(old[name])} to ${JSON.stringify(next[name])}`);
  return changed.length === 0 ? "changes nothing" : `changes ${changed.join(", ")}`;
}
