import type { Client } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Scope } from "../../contract/keys/key.ts";
import { typeFilters } from "../flags/event-flags.ts";
import {
  readFields,
  readInteger,
  readText,
  requireInteger,
  requireObject,
  type ToolArguments,
} from "./arguments.ts";
import { MAX_ITEMS, readBoundedPage } from "./bounded-page.ts";
import { isUserInput, isUserPatch } from "./user-input.ts";

/** A tool of the MCP server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: Record<string, object>;
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** The result as JSON. Throws an error of the client, or a `ConfigError` for an invalid argument. */
  run(client: Client, args: ToolArguments): Promise<unknown>;
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const overwrites = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

const id = { type: "integer", minimum: 1, description: "The id of the user." };
const version = {
  type: "integer",
  minimum: 1,
  description: "The version that you read. If the user has changed since, nothing happens.",
};
const limit = {
  type: "integer",
  minimum: 1,
  maximum: MAX_ITEMS,
  description: `At most this many, up to ${MAX_ITEMS}. Default: 20.`,
};

export const tools: readonly Tool[] = [
  {
    name: "search_users",
    title: "Search users",
    description:
      "Finds users by words in the name or email (q), and by a filter expression of SCIM. Returns one page, and `next` for the following one.",
    scope: "users:read",
    inputSchema: {
      type: "object",
      properties: {
        q: { type: "string", maxLength: 100, description: "Words that occur in the name or the email." },
        filter: {
          type: "string",
          description:
            'A condition, such as: department eq "sales" and (level ge 3 or not (plan pr)). Operators: eq ne co sw ew gt ge lt le pr, and, or, not.',
        },
        sort: {
          type: "string",
          description: "A field, with - in front for descending order, such as -createdAt.",
        },
        fields: {
          type: "array",
          items: { type: "string" },
          maxItems: 100,
          description: "Only these fields, such as name or address.city.",
        },
        limit,
        after: { type: "string", description: "`next` of the previous page." },
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: (client, args) => {
      const fields = readFields(args);
      const [q, sort] = [readText(args, "q"), readText(args, "sort")];
      const query = {
        ...(q !== undefined && { q }),
        ...(sort !== undefined && { sort }),
        filter: readText(args, "filter"),
        after: readText(args, "after"),
      };
      return readBoundedPage(readInteger(args, "limit"), async (size) => {
        const options = { ...query, limit: size };
        const list = fields ? client.users.list({ ...options, fields }) : client.users.list(options);
        const { users, next } = await list.page();
        return { users, next };
      });
    },
  },
  {
    name: "get_user",
    title: "Read a user",
    description: "Reads one user by id or by email.",
    scope: "users:read",
    inputSchema: {
      type: "object",
      properties: { id, email: { type: "string", description: "The email, instead of the id." } },
      additionalProperties: false,
    },
    annotations: reads,
    run: async (client, args) => {
      const email = readText(args, "email");
      if (email === undefined) return client.users.get(requireInteger(args, "id"));
      const user = await client.users.find({ email });
      if (!user) throw new ConfigError(`No user has the email ${email}.`);
      return user;
    },
  },
  {
    name: "create_user",
    title: "Create a user",
    description:
      "Creates a user. The name is required, the email is unique, and other fields are custom fields.",
    scope: "users:write",
    inputSchema: {
      type: "object",
      properties: {
        user: {
          type: "object",
          properties: { name: { type: "string" }, email: { type: "string" } },
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
      if (!isUserInput(user)) throw new ConfigError("user needs a name, and email must be a string or null.");
      return client.users.create(user);
    },
  },
  {
    name: "update_user",
    title: "Change a user",
    description:
      "Changes some fields of a user, as a JSON Merge Patch: other fields stay, null removes a field.",
    scope: "users:write",
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
        throw new ConfigError("In changes, name and email must be strings, and active true or false.");
      }
      const changed = await client.users.update(user, changes, precondition(args));
      return changed ?? { id: user, changed: true };
    },
  },
  {
    name: "delete_user",
    title: "Delete a user",
    description: "Deletes a user. An administrator can restore it for some time.",
    scope: "users:write",
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
  {
    name: "list_events",
    title: "Read events",
    description:
      "Lists who changed which user, key or webhook, and when, newest first, with old and new values. Returns one page, and `next` for the following one.",
    scope: "events:read",
    inputSchema: {
      type: "object",
      properties: {
        user: { ...id, description: "Only events of the user with this id." },
        type: { type: "string", enum: typeFilters, description: "Only events of this type." },
        from: { type: "string", description: "At or after this time (RFC 3339)." },
        to: { type: "string", description: "Before this time (RFC 3339)." },
        limit,
        after: { type: "string", description: "`next` of the previous page." },
      },
      additionalProperties: false,
    },
    annotations: reads,
    run: (client, args) => {
      const user = readInteger(args, "user");
      const typeText = readText(args, "type");
      const type = typeFilters.find((filter) => filter === typeText);
      const [from, to, after] = ["from", "to", "after"].map((name) => readText(args, name));
      if (typeText !== type) throw new ConfigError(`type must be one of ${typeFilters.join(", ")}.`);
      const filters = {
        ...(user !== undefined && { subject: `user:${user}` as const }),
        ...(type !== undefined && { type }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(after !== undefined && { after }),
      };
      return readBoundedPage(readInteger(args, "limit"), async (size) => {
        const { events, next } = await client.events.list({ ...filters, sort: "-id", limit: size }).page();
        return { events, next };
      });
    },
  },
];

function precondition(args: ToolArguments) {
  const expected = readInteger(args, "version");
  return expected === undefined ? {} : { ifMatch: expected };
}
