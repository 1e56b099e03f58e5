import type { Client } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import { formatFieldPath } from "../../domain/field-path.ts";
import { findGroupId } from "../find-group.ts";
import { typeFilters } from "../flags/event-flags.ts";
import {
  readFields,
  readGroup,
  readInteger,
  readLimit,
  readPath,
  readSearch,
  readText,
  requireInteger,
  requireObject,
  type ToolArguments,
} from "./arguments.ts";
import { fillPage, itemLimits, readBoundedPage } from "./bounded-page.ts";
import { countValues } from "./count-values.ts";
import { addFieldNotes } from "./field-notes.ts";
import { groupTools } from "./group-tools.ts";
import { fieldPageLimits, listFields } from "./list-fields.ts";
import type { Tool } from "./tool.ts";
import {
  adds,
  after,
  fieldsArgument,
  groupArgument,
  limitOf,
  overwrites,
  reads,
  searchArguments,
} from "./tool-parts.ts";
import { isUserInput, isUserPatch } from "./user-input.ts";

const id = { type: "integer", minimum: 1, description: "The id of the user." };
const version = {
  type: "integer",
  minimum: 1,
  description: "The version that you read. If the user has changed since, nothing happens.",
};
/** What chooses users. */
const { sort: sortArgument, ...searchWords } = searchArguments({
  q: "Words that all occur in the name or the email, in any order, ignoring case and accents. Not for other fields: use filter.",
  filter: [
    'A condition in the filter language of SCIM, such as: department eq "Sales" and (level ge 3 or not (plan pr)).',
    "Operators: eq, ne, co (contains), sw (starts with), ew (ends with), gt, ge, lt, le, pr (has a value), and, or, not (…).",
    "Text in double quotes; case does not matter. Numbers, true, false and null without quotes. Field names are case-sensitive.",
    'Times are text, as dates or with a time zone: createdAt ge "2026-01-01" and createdAt lt "2026-02-01T00:00:00Z".',
    'Inside objects: address.city eq "Oslo". A list matches if any element does: tags eq "vip".',
    "Inactive users: active eq false. Users without an email: not (email pr).",
    'Members of groups, joined to the rest by and: groups.name eq "Sales", groups eq 7, not (groups pr).',
  ].join(" "),
  sort: "A field, with - in front for descending order: -createdAt lists the newest users first. Users without the field come last.",
});
const search = {
  ...searchWords,
  group: groupArgument("Only members of this group: its id, or its name. list_groups finds groups."),
};

export const tools: readonly Tool[] = [
  {
    name: "search_users",
    title: "Search users",
    description:
      "Finds users by words in the name or email, or by their whole user name (q), by a condition (filter), and as members of a group (group). Returns one page, and `next` if there are more: pass it as `after`. To know how many there are, use count_users. To know the names and values of fields, use list_fields.",
    scopes: ["users:read"],
    inputSchema: {
      type: "object",
      properties: {
        ...search,
        sort: sortArgument,
        fields: fieldsArgument("name or address.city"),
        limit: limitOf(itemLimits),
        after,
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: async (client, args, addNote) => {
      const fields = readFields(args);
      const sort = readText(args, "sort");
      const chosen = await readUserSearch(client, args);
      const query = { ...chosen, ...(sort !== undefined && { sort }) };
      const limit = readLimit(args, itemLimits, addNote);
      const start = readText(args, "after");
      const page = readBoundedPage(limit, (size) =>
        fillPage<object>(size, start, async (rest, position) => {
          const options = { ...query, limit: rest, after: position };
          const list = fields ? client.users.list({ ...options, fields }) : client.users.list(options);
          const { users, next } = await list.page();
          return { items: users, next };
        }),
      );
      // The first page had the notes.
      const noted = start === undefined ? { filter: chosen.filter, sort, fields } : {};
      const [{ items, next }] = await Promise.all([page, addFieldNotes(client, noted, addNote)]);
      if (items.length > 0) return { users: items, next };
      if (next !== undefined) addNote("The search is not finished. Continue with next.");
      const named = start === undefined ? await findByUserName(client, chosen, fields) : [];
      if (named.length > 0)
        addNote("No name or email with these words was found, but a user with this user name.");
      return { users: named, next };
    },
  },
  {
    name: "count_users",
    title: "Count users",
    description: `Counts all users, or those that match q, filter and group. With by, counts them for each value of a field, the most frequent first: by "department" tells which departments there are and how many users each has. \`count\` is exact; \`atLeast\` means that there are so many or more.`,
    scopes: ["users:read"],
    inputSchema: {
      type: "object",
      properties: {
        ...search,
        by: {
          type: "string",
          description:
            "A field, such as department or address.city. A user with a list counts for each value in it.",
        },
        limit: { ...limitOf(itemLimits), description: `With by: ${limitOf(itemLimits).description}` },
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: async (client, args, addNote) => {
      const chosen = await readUserSearch(client, args);
      const by = readPath(args, "by");
      const limit = readLimit(args, itemLimits, addNote);
      const fields = by && [formatFieldPath(by)];
      const [answer] = await Promise.all([
        by ? countValues(client, chosen, by, limit, addNote) : countAll(client, chosen),
        addFieldNotes(client, { filter: chosen.filter, fields }, addNote),
      ]);
      return answer;
    },
  },
  {
    name: "list_fields",
    title: "List fields",
    description:
      "Lists the fields that users have, with the types of their values and some values. Call it before you write a filter with fields that you have not seen. `values` has all values of a field except long texts, `someValues` the first of many, `example` one object as JSON. `today` has the date (UTC), the users created and deleted on it, and the total.",
    scopes: ["users:read"],
    inputSchema: {
      type: "object",
      properties: { limit: limitOf(fieldPageLimits), after },
      additionalProperties: false,
    },
    annotations: reads,
    run: (client, args, addNote) => {
      const previous = readText(args, "after");
      const limit = readLimit(args, fieldPageLimits, addNote);
      return readBoundedPage(limit, (size) => listFields(client, previous, size));
    },
  },
  {
    name: "get_user",
    title: "Read a user",
    description: "Reads one user, by id, by email or by userName. To find a user by name, use search_users.",
    scopes: ["users:read"],
    inputSchema: {
      type: "object",
      properties: {
        id,
        email: { type: "string", description: "The email, instead of the id." },
        userName: { type: "string", description: "The field userName, instead of the id." },
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: async (client, args) => {
      const email = readText(args, "email");
      const userName = readText(args, "userName");
      const number = readInteger(args, "id");
      if ([email, userName, number].filter((value) => value !== undefined).length !== 1) {
        throw new ConfigError(
          "Pass one of id, email and userName. To find a user by name, use search_users.",
        );
      }
      if (number !== undefined) return client.users.get(number);
      const user = await client.users.find(email === undefined ? { userName: userName ?? "" } : { email });
      if (!user)
        throw new ConfigError(
          `No user has the ${email === undefined ? "userName" : "email"} ${email ?? userName}.`,
        );
      return user;
    },
  },
  {
    name: "create_user",
    title: "Create a user",
    description:
      "Creates a user. The name is required, the email and the userName are unique, and other fields are custom fields.",
    scopes: ["users:write"],
    inputSchema: {
      type: "object",
      properties: {
        user: {
          type: "object",
          properties: { name: { type: "string" }, email: { type: "string" }, userName: { type: "string" } },
          required: ["name"],
          description: "The fields of the user.",
        },
      },
      required: ["user"],
      additionalProperties: false,
    },
    annotations: adds,
    run: (client, args) => {
      const user = requireObject(args, "user");
      if (!isUserInput(user))
        throw new ConfigError(
          "user needs a name. email and userName must be strings or null, active true or false, and scim an object.",
        );
      return client.users.create(user);
    },
  },
  {
    name: "update_user",
    title: "Change a user",
    description:
      "Changes some fields of a user, as a JSON Merge Patch: other fields stay, null removes a field.",
    scopes: ["users:write"],
    inputSchema: {
      type: "object",
      properties: { id, changes: { type: "object", description: "The fields to change." }, version },
      required: ["id", "changes"],
      additionalProperties: false,
    },
    annotations: overwrites,
    run: async (client, args) => {
      const user = requireInteger(args, "id");
      const changes = requireObject(args, "changes");
      if (!isUserPatch(changes)) {
        throw new ConfigError(
          "In changes, name must be a string, email and userName must be strings or null, active true or false, and scim an object.",
        );
      }
      if ((changes.id ?? user) !== user) {
        throw new ConfigError("changes has another id. Leave it out: an id never changes.");
      }
      const changed = await client.users.update(user, changes, precondition(args));
      return changed ?? { id: user, changed: true };
    },
  },
  {
    name: "delete_user",
    title: "Delete a user",
    description: "Deletes a user. An administrator can restore it for some time.",
    scopes: ["users:write"],
    inputSchema: {
      type: "object",
      properties: { id, version },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: overwrites,
    run: async (client, args) => {
      const user = requireInteger(args, "id");
      await client.users.delete(user, precondition(args));
      return { id: user, deleted: true };
    },
  },
  ...groupTools,
  {
    name: "list_events",
    title: "Read events",
    description:
      "Lists who changed which user, group, key, webhook or schema, and when, newest first. `actor` is who made the change, `changes` has the old and new values, `record` the user or the group. Returns one page, and `next` if there are more. What changed on a day: from that date to the next.",
    scopes: ["events:read"],
    inputSchema: {
      type: "object",
      properties: {
        user: {
          ...id,
          description:
            "Only the history of the user with this id: its events, and when it became a member of groups or left them.",
        },
        group: groupArgument(
          "Only events of this group: its id, or its name. group.members_changed has the ids of the users that came and left.",
        ),
        type: {
          type: "string",
          enum: typeFilters,
          description: "Only events of this type, such as user.updated; user.* for all events of users.",
        },
        requestId: {
          type: "string",
          description: "Only events of the request with this id. Set `from` too.",
        },
        from: {
          type: "string",
          description: "At or after this time: a date (midnight UTC), or like 2026-01-31T08:00:00Z.",
        },
        to: { type: "string", description: "Before this time, in the same form." },
        limit: limitOf(itemLimits),
        after,
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: async (client, args, addNote) => {
      const user = readInteger(args, "user");
      const group = readGroup(args);
      if (user !== undefined && group) throw new ConfigError("Pass user or group, not both.");
      const typeText = readText(args, "type");
      const type = typeFilters.find((filter) => filter === typeText);
      if (typeText !== type) throw new ConfigError(`type must be one of ${typeFilters.join(", ")}.`);
      const [from, to] = [readTime(args, "from"), readTime(args, "to")];
      const requestId = readText(args, "requestId");
      const position = readText(args, "after");
      const filters = {
        ...(user !== undefined && { user }),
        ...(group && { subject: `group:${await findGroupId(client, group)}` as const }),
        ...(type !== undefined && { type }),
        ...(requestId !== undefined && { requestId }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(position !== undefined && { after: position }),
      };
      return readBoundedPage(readLimit(args, itemLimits, addNote), async (size) => {
        const { events, next } = await client.events.list({ ...filters, sort: "-id", limit: size }).page();
        return { events, next };
      });
    },
  },
];

async function readUserSearch(client: Client, args: ToolArguments) {
  const group = readGroup(args);
  return { ...readSearch(args), ...(group && { group: await findGroupId(client, group) }) };
}

/** The user whose whole user name is what a search has as words, if the search finds it otherwise. */
async function findByUserName(
  client: Client,
  { q, ...chosen }: Awaited<ReturnType<typeof readUserSearch>>,
  fields: string[] | undefined,
): Promise<object[]> {
  if (q === undefined) return [];
  const options = { ...chosen, where: { userName: q } };
  const list = fields ? client.users.list({ ...options, fields }) : client.users.list(options);
  const { users } = await list.page();
  return users;
}

async function countAll(client: Client, chosen: Awaited<ReturnType<typeof readUserSearch>>): Promise<object> {
  const { total } = await client.users.list({ ...chosen, limit: 1 }).page({ count: true });
  return total?.capped ? { atLeast: total.count } : { count: total?.count };
}

/** A date is midnight UTC, as in filters. */
function readTime(args: ToolArguments, name: string): string | undefined {
  const text = readText(args, name);
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
}

function precondition(args: ToolArguments) {
  const expected = readInteger(args, "version");
  return expected === undefined ? {} : { ifMatch: expected };
}
