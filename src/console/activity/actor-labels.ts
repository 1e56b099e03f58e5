import { useInfiniteQuery } from "@tanstack/react-query";
import type { RosterEvent } from "../../client/index.ts";
import { keysQuery } from "../keys/queries.ts";
import { useHasScope } from "../lib/session.ts";
import { activity as texts } from "../texts/activity.ts";
import { actorFilter, actorLabel } from "./describe-event.ts";
import type { Actor } from "./event-filters.ts";

/** Everyone who can make changes, as far as known: keys, those of the loaded events, and the chosen one. */
export function useActorLabels(
  events: readonly RosterEvent[],
  chosen: Actor | undefined,
): ReadonlyMap<Actor, string> {
  const canListKeys = useHasScope("keys:manage");
  const { data } = useInfiniteQuery({ ...keysQuery, enabled: canListKeys });
  const labels = new Map<Actor, string>();
  for (const { id, name } of data?.pages.flatMap(({ keys }) => keys) ?? []) labels.set(`key:${id}`, name);
  for (const { actor } of events) labels.set(actorFilter(actor), actorLabel(actor));
  for (const type of ["anonymous", "command", "system"] as const) labels.set(type, texts.actors[type]);
  if (chosen !== undefined && !labels.has(chosen))
    labels.set(chosen, texts.keyActor(Number(chosen.split(":")[1])));
  return labels;
}
