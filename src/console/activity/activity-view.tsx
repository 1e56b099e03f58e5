import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { Link } from "wouter";
import { useHasScope } from "../lib/session.ts";
import { activity as texts } from "../texts/activity.ts";
import { formatNumber } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { ArrowUp, History, SearchX } from "../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { ActivityTools } from "./activity-tools.tsx";
import { type ActivityFilters, isFiltered, useActivityFilters } from "./event-filters.ts";
import { EventList } from "./event-list.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { addNewEvents, eventsQuery, reloadEvents } from "./queries.ts";
import { useNewEvents } from "./use-new-events.ts";

const noFilters: ActivityFilters = {
  type: undefined,
  subject: undefined,
  actor: undefined,
  within: undefined,
  from: undefined,
  to: undefined,
};

/** The feed of events, newest first. */
export default function ActivityView() {
  const [filters, change] = useActivityFilters();
  const list = useInfiniteQuery(eventsQuery(filters));
  const canWrite = useHasScope("users:write");
  const events = useMemo(() => list.data?.pages.flatMap(({ events }) => events) ?? [], [list.data]);
  const isFixed = filters.to !== undefined;
  const newest = newestOf(list.data?.pages[0]?.last, events[0]?.id);
  const fresh = useNewEvents(filters, isFixed ? undefined : newest);
  const count = fresh.events.length;
  const showNew = () => {
    if (fresh.isFull) void reloadEvents(filters);
    else addNewEvents(filters, fresh.events);
  };
  // Nobody reads an empty list: new events appear in it at once.
  const isEmpty = list.isSuccess && events.length === 0;
  useEffect(() => {
    if (isEmpty && count > 0) addNewEvents(filters, fresh.events);
  }, [isEmpty, count, filters, fresh.events]);

  return (
    <View
      name="activity"
      title={texts.title}
      aside={
        fresh.hasStopped ? (
          <div className="actions">
            <span className="hint">{texts.stopped}</span>
            <Button onClick={() => void reloadEvents(filters)}>{texts.refresh}</Button>
          </div>
        ) : (
          list.isSuccess &&
          !isFixed && (
            <span className="live" title={texts.liveHint}>
              {texts.live}
            </span>
          )
        )
      }
    >
      <ActivityTools filters={filters} events={events} onChange={change} />
      <FilterChips
        filters={filters}
        events={events}
        onRemoveSubject={() => change({ subject: undefined })}
        onClear={() => change(noFilters)}
      />
      <div className="new-events" role="status">
        {count > 0 && !isEmpty && (
          <Button kind="primary" icon={<ArrowUp aria-hidden />} onClick={showNew}>
            {texts.newEvents(formatNumber(count) + (fresh.isFull ? "+" : ""))}
          </Button>
        )}
      </div>
      {list.isPending ? (
        <Loading />
      ) : list.error && events.length === 0 ? (
        <ErrorState error={list.error} retry={() => void list.refetch()} />
      ) : isEmpty ? (
        isFiltered(filters) ? (
          <EmptyState icon={SearchX} title={texts.nothing.title} text={texts.nothing.text}>
            <Button onClick={() => change(noFilters)}>{texts.filters.clear}</Button>
          </EmptyState>
        ) : (
          <EmptyState icon={History} title={texts.empty.title} text={texts.empty.text}>
            {canWrite && (
              <Link href="/users/new" className="button primary">
                {texts.empty.action}
              </Link>
            )}
          </EmptyState>
        )
      ) : (
        <>
          <EventList
            key={JSON.stringify(filters)}
            label={texts.list}
            events={events}
            hasMore={list.hasNextPage}
          />
          <div className="feed-rest">
            {list.hasNextPage ? (
              <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {texts.more}
              </Button>
            ) : (
              <p className="hint">{texts.end}</p>
            )}
          </div>
        </>
      )}
    </View>
  );
}

/** Ids sort in the order of events. */
function newestOf(last: string | undefined, first: string | undefined): string | undefined {
  if (last === undefined || first === undefined) return last ?? first;
  return last > first ? last : first;
}
