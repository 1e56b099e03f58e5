import { ApiError, type Client } from "../client/index.ts";
import { describeError } from "./describe-error.ts";
import { parseId } from "./parse-id.ts";

/** A group as a person or an assistant writes it: digits are an id, and everything else is a name. */
export interface GroupWord {
  readonly text: string;
  /** Undefined for a name. */
  readonly id: number | undefined;
}

/** Throws a `RangeError` for a text that is neither an id nor a name. */
export function parseGroup(text: string): GroupWord {
  if (text.trim() === "") throw new RangeError(text);
  return { text, id: /^\d+$/.test(text) ? parseId(text) : undefined };
}

/** The name of a group finds none, or the key must not search. */
export class GroupNameError extends Error {
  constructor(
    message: string,
    readonly reason: "notFound" | "denied",
  ) {
    super(message);
  }
}

/** The id of the group. Throws a `GroupNameError`. */
export async function findGroupId({ groups }: Client, { text, id }: GroupWord): Promise<number> {
  if (id !== undefined) return id;
  const group = await groups.find({ name: text }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === "insufficient-scope")) throw error;
    throw new GroupNameError(`${describeError(error)} Or use the id of the group.`, "denied");
  });
  if (!group) throw new GroupNameError(`No group has the name ${JSON.stringify(text)}.`, "notFound");
  return group.id;
}
