import type { Client, CustomField } from "../../client/index.ts";
import { isCustomField, type userFields } from "../../contract/users/user-fields.ts";
import { formatFieldPath } from "../../domain/field-path.ts";
import { shorten } from "./arguments.ts";

/** The most fields of one answer. Each takes a request for its values. */
export const fieldPageLimits = { standard: 50, maximum: 50 } as const;
const SAMPLE_VALUES = 15;
const VALUE_CHARACTERS = 60;
const EXAMPLE_CHARACTERS = 200;
/** Requests at the same time. */
const REQUESTS = 5;

/** The fields that every user can have, with the types of their values. */
export const commonFields = [
  { name: "id", types: ["number"] },
  { name: "name", types: ["string"] },
  { name: "email", types: ["string"], about: "Unique. Some users may have none." },
  {
    name: "userName",
    types: ["string"],
    about: "What the user signs in with, if it is not the email. Unique. Many users have none.",
  },
  {
    name: "active",
    types: ["boolean"],
    about: "Absent means true: find inactive users with active eq false.",
  },
  { name: "scim", types: ["object"], about: "What SCIM clients sent and has no other field." },
  { name: "version", types: ["number"], about: "Grows by 1 with each change." },
  { name: "createdAt", types: ["string"], about: "When the user was added to the directory: a time in UTC." },
  { name: "updatedAt", types: ["string"], about: "When the user was last changed: a time in UTC." },
] as const satisfies readonly { readonly name: keyof typeof userFields; readonly [about: string]: unknown }[];

/** A page of the fields that users have, with the date and the numbers of users. The common fields are on the first page. */
export async function listFields(client: Client, after: string | undefined, limit: number): Promise<object> {
  const [all, { days }] = await Promise.all([client.fields.list(), client.stats({ days: 1 })]);
  const custom = all.filter(({ name }) => isCustomField(name) && (after === undefined || name > after));
  const page = custom.slice(0, limit);
  const fields: object[] = after === undefined ? [...commonFields] : [];
  for (let first = 0; first < page.length; first += REQUESTS) {
    const described = page.slice(first, first + REQUESTS).map((field) => describeField(client, field));
    fields.push(...(await Promise.all(described)));
  }
  return {
    today: days.at(-1),
    fields,
    ...(custom.length > limit && { next: page.at(-1)?.name }),
  };
}

/** A field with some of its values; with one example if its values are objects. */
async function describeField(client: Client, { name, types }: CustomField): Promise<object> {
  const values = await client.fields.values(name);
  if (values.length > 0) {
    const samples = values.slice(0, SAMPLE_VALUES);
    return {
      name,
      types,
      [samples.length < values.length ? "someValues" : "values"]: samples.map((value) =>
        typeof value === "string" ? shorten(value, VALUE_CHARACTERS) : value,
      ),
    };
  }
  const { users } = await client.users
    .list({ filter: `${formatFieldPath([name])} pr`, fields: [name], limit: 1 })
    .page();
  const example = JSON.stringify(users[0]?.[name]);
  return { name, types, ...(example !== undefined && { example: shorten(example, EXAMPLE_CHARACTERS) }) };
}
