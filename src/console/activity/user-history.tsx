import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Group, User } from "../../client/index.ts";
import { activity, history as texts } from "../texts/activity.ts";
import { Button } from "../ui/button.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import type { ActivityFilters } from "./event-filters.ts";
import { EventList } from "./event-list.tsx";
import { eventsQuery } from "./queries.ts";

interface UserHistoryProps {
  readonly user: User;
  /** The level of the heading above. */
  readonly level: 2 | 3;
}

/** The history of one user, newest first. */
export default function UserHistory({ user: { id, version }, level }: UserHistoryProps) {
  return <History filters={{ historyOf: id }} version={version} level={level} />;
}

/** The history of one group, newest first. */
export function GroupHistory({ id, version }: Pick<Group, "id" | "version">) {
  return <History filters={{ subject: `group:${id}` }} version={version} level={1} />;
}

const levelsBelow = { 1: 2, 2: 3, 3: 4 } as const;

interface HistoryProps {
  readonly filters: ActivityFilters;
  readonly version: number;
  /** The level of the heading above. */
  readonly level: 1 | 2 | 3;
}

function History({ filters, version, level }: HistoryProps) {
  // The record can have changed since the last visit.
  const list = useInfiniteQuery({ ...eventsQuery(filters), staleTime: 0 });
  const { refetch } = list;
  const loadedVersion = useRef(version);
  useEffect(() => {
    if (loadedVersion.current === version) return;
    loadedVersion.current = version;
    void refetch();
  }, [version, refetch]);
  const events = list.data?.pages.flatMap(({ events }) => events) ?? [];
  if (list.isPending) return <Loading />;
  if (list.error && events.length === 0) {
    return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  }
  if (events.length === 0) return <p className="hint">{texts.empty}</p>;
  return (
    <>
      <EventList
        label={activity.list}
        events={events}
        hasMore={list.hasNextPage}
        historyOf={filters.historyOf}
        isHistory
        level={levelsBelow[level]}
      />
      {list.hasNextPage && (
        <div className="feed-rest">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
    </>
  );
}
