import type { Json } from "../../client/index.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";
import { queryClient, roster } from "../lib/api.ts";
import { fieldValuesQuery } from "../users/field-info.ts";
import { presentValues } from "../users/fields.ts";
import { draftFromFields, type FieldsDraft } from "./schema-draft.ts";

/** Users whose values show which texts are dates, and what lists have. */
const SAMPLE_USERS = 100;

/** A draft with the fields that users have now. */
export async function draftFromUsers(): Promise<FieldsDraft> {
  const [fields, { users }] = await Promise.all([
    roster.fields.list(),
    roster.users.list({ sort: "-id", limit: SAMPLE_USERS }).page(),
  ]);
  const sampled = fields
    .filter(({ name }) => isCustomField(name))
    .map((field) => ({ ...field, samples: presentValues(users, field.name) }));
  return draftFromFields(
    await Promise.all(
      sampled.map(async (field) => {
        const { name, samples } = field;
        if (!draftFromFields([field]).rows.some(({ format }) => format !== "")) return field;
        // The values of the newest users are dates: those of others may be none.
        const values: readonly Json[] = await queryClient.fetchQuery(fieldValuesQuery(name, ""));
        return { ...field, samples: [...samples, ...values] };
      }),
    ),
  );
}
