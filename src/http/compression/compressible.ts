import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import { type Coding, chooseCoding } from "./accept-encoding.ts";
import { compress, compressSync, FAST } from "./compress.ts";

/** The least CPU time first. */
export const FASTEST_FIRST: readonly Coding[] = ["zstd", "gzip", "br"];

/** Even random text of this size takes less than a millisecond. Longer bodies are compressed on another thread. */
const MAX_SYNC_BYTES = 32_768;

/**
 * A response like `jsonResponse`, compressed if the caller accepts that. Not for bodies that contain a secret, nor for
 * single users: together with text that an attacker chooses, the compressed size would reveal them (BREACH).
 */
export function compressibleResponse(
  context: RequestContext,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): MaybePromise<Response> {
  const varied = { ...headers, vary: headers.vary ? `${headers.vary}, Accept-Encoding` : "Accept-Encoding" };
  const coding = chooseCoding(context.request.headers.get("accept-encoding"), FASTEST_FIRST, body.length);
  if (coding === "identity") return jsonResponse(context, 200, body, varied);
  const compressed = body.length > MAX_SYNC_BYTES ? compress(body, coding, FAST) : compressOnce(body, coding);
  return andThen(compressed, (bytes) =>
    jsonResponse(context, 200, bytes, { ...varied, "content-encoding": coding }),
  );
}

/** By body and coding. The store returns the same body for a repeated list until a user changes. */
const compressedBodies = new WeakMap<Uint8Array, Map<Coding, Uint8Array<ArrayBuffer>>>();

function compressOnce(body: Uint8Array<ArrayBuffer>, coding: Coding): Uint8Array<ArrayBuffer> {
  const codings = compressedBodies.get(body) ?? new Map<Coding, Uint8Array<ArrayBuffer>>();
  const compressed = codings.get(coding) ?? compressSync(body, coding);
  compressedBodies.set(body, codings.set(coding, compressed));
  return compressed;
}
