import { schemaLimits } from "../../contract/schema/schema.ts";
import type { SchemaViolation } from "../../contract/schema/schema-schemas.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { CompiledSchema } from "../../domain/schema/compiled-schema.ts";
import { parseStoredSchema } from "../../domain/schema/parse-schema.ts";
import type { CheckedUsers } from "../../domain/schema/schema-store.ts";
import { parseUser } from "../../domain/users/user.ts";

type UserRows = readonly (readonly [id: number, json: string])[];

/** Checks users against a schema, which it compiles once. */
export class UserChecker {
  #json: string | undefined;
  #schema: CompiledSchema | undefined;

  /** `limit` is the number of users that were requested. */
  *check(json: string, users: UserRows, limit: number): Steps<CheckedUsers> {
    const schema = this.#compile(json);
    yield* schema.compile();
    const violations: SchemaViolation[] = [];
    for (const user of users) {
      const violation = findViolation(schema, user);
      if (violation) violations.push(violation);
      yield;
    }
    const next = users.length < limit ? undefined : users.at(-1)?.[0];
    return { checked: users.length, violations, next };
  }

  #compile(json: string): CompiledSchema {
    if (this.#json !== json || !this.#schema) {
      this.#schema = new CompiledSchema(parseStoredSchema(json));
      this.#json = json;
    }
    return this.#schema;
  }
}

function findViolation(schema: CompiledSchema, [id, json]: UserRows[number]): SchemaViolation | undefined {
  const errors = schema.listErrors(parseUser(json).record);
  return errors.length === 0 ? undefined : { id, errors: errors.slice(0, schemaLimits.errorsPerUser) };
}
