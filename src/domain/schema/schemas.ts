import { schemaLimits } from "../../contract/schema/schema.ts";
import type { SchemaCheck, SchemaViolation } from "../../contract/schema/schema-schemas.ts";
import type { Origin } from "../caller.ts";
import { ignoreUnavailable } from "../database-unavailable.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Meter } from "../meter.ts";
import type { Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import { runInTurns } from "../scheduling/steps.ts";
import { CompiledSchema } from "./compiled-schema.ts";
import { type FieldsSchema, parseSchemaInSteps, parseStoredSchema, rememberSchema } from "./parse-schema.ts";
import type { Duplicate, SchemaStore, StoredSchema, ValuePosition, ValueStep } from "./schema-store.ts";

/** Users of one step. */
const STEP_USERS = 500;
/** Users that a page of violations examines at most. */
const PAGE_USERS = 5000;

/** Versions of one read, and characters of JSON after which a page of versions ends. */
const STEP_VERSIONS = 10;
const PAGE_CHARACTERS = 256 * 1024;

/** A valid schema. */
export interface CheckedSchema {
  readonly json: string;
  readonly fields: FieldsSchema;
}

/** Parses the schema of a caller, in turns with other callers. `owner` is the caller's key or address. Throws `invalid-schema`. */
export async function checkSchema(body: unknown, owner: string): Promise<CheckedSchema> {
  const fields = await runInTurns(parseSchemaInSteps(body), { owner });
  await runInTurns(new CompiledSchema(fields).checkDefaults(), { owner });
  const json = JSON.stringify(body);
  return { json, fields: rememberSchema(json, fields) };
}

/** How far a check has come. */
export interface CheckProgress {
  readonly checked: number;
  /** The number of users when the check began. */
  readonly total: number;
}

/** What callers can do with the schema for custom fields. */
export class Schemas {
  readonly #store: SchemaStore;
  readonly #countUsers: () => Promise<number>;
  /** One change after the other: two that make fields unique would be in each other's way. */
  readonly #changes = new Semaphore(1);

  constructor(store: SchemaStore, countUsers: () => Promise<number>) {
    this.#store = store;
    this.#countUsers = countUsers;
  }

  current(): MaybePromise<StoredSchema> {
    return this.#store.current();
  }

  /** Versions before this one, newest first. The JSON of a page is limited: it can be short and still have a next page. */
  async versions(
    before: number,
    limit: number,
  ): Promise<{ versions: readonly StoredSchema[]; next: number | undefined }> {
    const versions: StoredSchema[] = [];
    let next: number | undefined = before;
    let characters = 0;
    while (next !== undefined && versions.length < limit && characters < PAGE_CHARACTERS) {
      const found: StoredSchema[] = await this.#store.versions(
        next,
        Math.min(limit - versions.length, STEP_VERSIONS),
      );
      versions.push(...found);
      for (const { json } of found) characters += json.length;
      // The first version is 1.
      const last: number = found.at(-1)?.version ?? 1;
      next = last > 1 ? last : undefined;
    }
    return { versions, next };
  }

  /**
   * Throws `invalid-schema`, `version-mismatch`, `precondition-failed` or `value-taken`. The last one names users only with
   * `namesUsers`.
   */
  async put(
    by: Origin,
    schema: CheckedSchema,
    precondition: Precondition | undefined,
    namesUsers: boolean,
  ): Promise<StoredSchema> {
    const { json, fields } = schema;
    try {
      return await this.#changes.run(() => this.#put(by, json, fields.uniqueFields, precondition));
    } catch (error) {
      throw error instanceof DuplicateValues && !namesUsers ? error.withoutUsers() : error;
    }
  }

  async #put(
    by: Origin,
    json: string,
    uniqueFields: readonly string[],
    precondition: Precondition | undefined,
  ): Promise<StoredSchema> {
    const added = await this.#findAddedFields(uniqueFields);
    const stored =
      added.length === 0
        ? await this.#store.put(json, by, precondition)
        : await this.#putUnique(json, by, precondition, added);
    // The schema has changed, even if the database cannot be reached now.
    await this.#removeValues().catch(ignoreUnavailable);
    return stored;
  }

  async remove(by: Origin, precondition: Precondition | undefined): Promise<void> {
    await this.#changes.run(() => this.#put(by, "{}", [], precondition));
  }

  /** Checks all users against a schema, and stores nothing. Throws `value-taken` or `quota-exceeded`. */
  async *check(
    { json, fields }: CheckedSchema,
    signal: AbortSignal,
    meter?: Meter,
  ): AsyncGenerator<CheckProgress, SchemaCheck> {
    await this.#compareValues(await this.#findAddedFields(fields.uniqueFields), signal);
    const total = await this.#countUsers();
    const violations: SchemaViolation[] = [];
    let [checked, violating]: [number, number] = [0, 0];
    for (let after: number | undefined = 0; after !== undefined && !signal.aborted; ) {
      yield { checked, total };
      const step = await this.#store.checkUsers(json, after, STEP_USERS);
      if (meter) for await (const _ of meter.count(step.checked)) yield { checked, total };
      checked += step.checked;
      violating += step.violations.length;
      violations.push(...step.violations.slice(0, schemaLimits.violations - violations.length));
      after = step.next;
    }
    return { checked, violating, violations };
  }

  /** Users that the current schema does not allow, after this id. A page can be short and still have a next page. */
  async violations(
    after: number,
    limit: number,
  ): Promise<{ violations: readonly SchemaViolation[]; next: number | undefined }> {
    const { json } = await this.#store.current();
    const violations: SchemaViolation[] = [];
    let next: number | undefined = after;
    for (let users = 0; json !== "{}" && users < PAGE_USERS && next !== undefined; users += STEP_USERS) {
      const step = await this.#store.checkUsers(json, next, STEP_USERS);
      violations.push(...step.violations);
      next = step.next;
      if (violations.length > limit) next = violations[limit - 1]?.id;
      if (violations.length >= limit) break;
    }
    return { violations: violations.slice(0, limit), next: json === "{}" ? undefined : next };
  }

  /** The fields that are not unique yet. */
  async #findAddedFields(uniqueFields: readonly string[]): Promise<readonly string[]> {
    if (uniqueFields.length === 0) return [];
    const { json } = await this.#store.current();
    const before = parseStoredSchema(json).uniqueFields;
    return uniqueFields.filter((field) => !before.includes(field));
  }

  /** Collects the values of the fields, between other writes, and then stores the schema. */
  async #putUnique(
    json: string,
    by: Origin,
    precondition: Precondition | undefined,
    fields: readonly string[],
  ): Promise<StoredSchema> {
    // Most duplicates are found here, before writes have to wait for steps.
    await this.#compareValues(fields);
    await this.#removeValues();
    const token = crypto.randomUUID();
    await this.#store.beginUnique(token, fields);
    try {
      for (const field of fields) {
        await rejectDuplicates((after) => this.#store.collectValues(token, field, after));
      }
      return await this.#store.put(json, by, precondition, token);
    } catch (error) {
      await this.#store.cancelUnique(token).catch(() => undefined);
      throw error;
    }
  }

  async #compareValues(fields: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const field of fields) {
      await rejectDuplicates((after) => this.#store.compareValues(field, after), signal);
    }
  }

  /** Removes the values of fields that are not unique any more. If this is interrupted, the next change goes on. */
  async #removeValues(): Promise<void> {
    while ((await this.#store.removeValues()) > 0);
  }
}

/** Runs steps to the end. Throws `value-taken` with examples if two users have the same value. */
async function rejectDuplicates(
  step: (after: ValuePosition | undefined) => Promise<ValueStep>,
  signal?: AbortSignal,
): Promise<void> {
  let after: ValuePosition | undefined;
  do {
    const { duplicates, next } = await step(after);
    if (duplicates.length > 0) throw new DuplicateValues(duplicates);
    after = next;
  } while (after !== undefined && !signal?.aborted);
}

/** Users have the same value of a field that is to become unique. */
class DuplicateValues extends ProblemError {
  readonly #fields: readonly string[];

  constructor(duplicates: readonly Duplicate[]) {
    super(
      "value-taken",
      "Users have the same value of a field that you want to be unique. Change these users first. See `errors` for examples.",
      duplicates.slice(0, schemaLimits.duplicates).map(({ field, ids: [first, second] }) => ({
        pointer: pointerTo(field),
        detail: `The users ${first} and ${second} have the same value.`,
      })),
    );
    this.#fields = [...new Set(duplicates.map(({ field }) => field))];
  }

  /** The same problem for a caller that must not read users: it tells neither which users nor how many. */
  withoutUsers(): ProblemError {
    return new ProblemError(
      "value-taken",
      "Users have the same value of a field that you want to be unique. A key with the scope users:read sees which users.",
      this.#fields.map((field) => ({ pointer: pointerTo(field), detail: "Some users have the same value." })),
    );
  }
}

function pointerTo(field: string): string {
  return `/properties/${field}/x-unique`;
}
