import { createHash } from "node:crypto";
import type { ChangedUser, Store } from "../store.ts";
import { usersFor } from "../users/deleted-users.ts";
import { changeChunks } from "./change-chunks.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { hashIds, IdChunks } from "./id-chunks.ts";
import type { ChunkContext } from "./imports.ts";
import { MatchChunks } from "./match-chunks.ts";

/** Applies the change to each user, in chunks, and yields the results in order. */
export async function* changeUsers(
  store: Store,
  request: BulkRequest,
  context: ChunkContext,
): AsyncGenerator<ChangedUser[], void> {
  const { change } = request;
  const json = JSON.stringify(change);
  const bytes = Buffer.byteLength(json);
  const variant = `\nbulk ${createHash("sha256").update(json).digest("base64url")}`;
  if ("ids" in request) {
    const users = new IdChunks(usersFor(store, change), request.ids, bytes);
    const ids = context.key === undefined ? "" : await hashIds(request.ids);
    yield* changeChunks(store, users, change, context, `${variant}\nids ${ids}`);
  } else {
    const source = usersFor(store, change);
    const users = await MatchChunks.open(source, request.expression, bytes, context.signal);
    yield* changeChunks(store, users, change, context, `${variant}\nfilter ${request.filter}`);
  }
}
