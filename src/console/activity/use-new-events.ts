import { useState } from "react";
import type { RosterEvent } from "../../client/index.ts";
import { promptOnceIfSignedOut, roster } from "../lib/api.ts";
import { useWhileVisible } from "../lib/use-while-visible.ts";
import { type ActivityFilters, toEventFilters } from "./event-filters.ts";

/** With more new events, following stops: the list is loaded again instead. */
const MAX_NEW = 500;

interface NewEvents {
  /** Oldest first. */
  readonly events: readonly RosterEvent[];
  /** Whether there can be more events than these. */
  readonly isFull: boolean;
  readonly hasStopped: boolean;
}

const none: NewEvents = { events: [], isFull: false, hasStopped: false };

/** Follows the events after `after`, while the page is visible. Undefined follows nothing. */
export function useNewEvents(filters: ActivityFilters, after: string | undefined): NewEvents {
  /** Names the list that the new events belong to. */
  const list = JSON.stringify([filters, after]);
  const [state, setState] = useState<NewEvents & { readonly list: string }>({ ...none, list });
  const current = state.list === list ? state : none;
  const isFollowing = after !== undefined && !current.isFull && !current.hasStopped;

  useWhileVisible(isFollowing, list, async (list, signal) => {
    const position = current.events.at(-1)?.id ?? after;
    if (position === undefined) return;
    const update = (change: (before: NewEvents) => NewEvents) =>
      setState((before) => ({ ...change(before.list === list ? before : none), list }));
    try {
      const { to: _to, ...options } = toEventFilters(filters);
      for await (const event of roster.events.follow({ ...options, after: position, signal })) {
        update(({ events }) => {
          const next = [...events, event];
          return { ...none, events: next, isFull: next.length >= MAX_NEW };
        });
      }
    } catch (error) {
      if (signal.aborted) return;
      promptOnceIfSignedOut(error);
      update((before) => ({ ...before, hasStopped: true }));
    }
  });
  return current;
}
