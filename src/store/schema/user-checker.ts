import { schemaLimits } from "../../contract/schema/schema.ts";
import { loopShare } from "../../domain/bulk/loop-share.ts";
import { CompiledSchema } from "../../domain/schema/compiled-schema.ts";
import type { CheckedUsers, Violation } from "../../domain/schema/schema-store.ts";
import { parseUser } from "../../domain/user.ts";

type UserRows = readonly (readonly [id: number, json: string])[];

/** Checks users against a schema, which it compiles once. */
export class UserChecker {
  #json: string | undefined;
  #schema: CompiledSchema | undefined;

  /** `limit` is the number of users that were requested. */
  check(json: string, users: UserRows, limit: number): CheckedUsers {
    const schema = this.#compile(json);
    return toResult(
      users,
      limit,
      users.flatMap((user) => findViolation(schema, user) ?? []),
    );
  }

  #compile(json: string): CompiledSchema {
    if (this.#json !== json || !this.#schema) {
      this.#schema = new CompiledSchema(JSON.parse(json));
      this.#json = json;
    }
    return this.#schema;
  }
}

/** Checks users on the event loop, between other work. */
export async function checkInTurns(json: string, users: UserRows, limit: number): Promise<CheckedUsers> {
  const schema = new CompiledSchema(JSON.parse(json));
  const violations: Violation[] = [];
  for (const user of users) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    const violation = findViolation(schema, user);
    if (violation) violations.push(violation);
  }
  return toResult(users, limit, violations);
}

function findViolation(schema: CompiledSchema, [id, json]: UserRows[number]): Violation | undefined {
  const errors = schema.listErrors(parseUser(json).record);
  return errors.length === 0 ? undefined : { id, errors: errors.slice(0, schemaLimits.errorsPerUser) };
}

function toResult(users: UserRows, limit: number, violations: readonly Violation[]): CheckedUsers {
  return { checked: users.length, violations, next: users.length < limit ? undefined : users.at(-1)?.[0] };
}
