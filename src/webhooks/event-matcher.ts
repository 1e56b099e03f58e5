import { type EventType, matchEventTypes } from "../contract/events/event.ts";
import type { Json } from "../contract/user.ts";
import type { StoredEvent } from "../domain/events/event.ts";
import { compileExpression } from "../domain/filter/compile-expression.ts";
import { parseExpression } from "../domain/filter/parse-expression.ts";
import type { WebhookSettings } from "../domain/webhooks/webhook-store.ts";

/** Which events a webhook gets. */
export interface EventMatcher {
  /** Undefined for all types. */
  readonly types: readonly EventType[] | undefined;
  /** Whether the filter matches. Does not look at the type. */
  readonly matches: (event: StoredEvent) => boolean;
}

export function createMatcher({ types, filter }: Pick<WebhookSettings, "types" | "filter">): EventMatcher {
  return {
    types: types.includes("*") ? undefined : [...new Set(types.flatMap(matchEventTypes))],
    matches: filter === null ? () => true : createFilter(filter),
  };
}

function createFilter(filter: string): EventMatcher["matches"] {
  const test = compileExpression(parseExpression(filter));
  return ({ json }) => {
    const { record }: { readonly record: { readonly [field: string]: Json } } = JSON.parse(json);
    return test(record);
  };
}
