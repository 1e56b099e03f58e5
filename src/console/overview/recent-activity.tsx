import { useQuery } from "@tanstack/react-query";
import { BurstSentence, EventSentence } from "../activity/event-sentence.tsx";
import { foldEvents } from "../activity/fold-events.ts";
import { useMemberNames } from "../activity/member.tsx";
import { overview as texts } from "../texts/overview.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { viewPaths } from "../view-paths.ts";
import { OverviewCard } from "./overview-card.tsx";
import { recentQuery } from "./queries.ts";

const ENTRIES = 6;

/** The last events, as sentences. Bursts of one caller are one entry, as in the activity. */
export function RecentActivity() {
  const query = useQuery(recentQuery);
  const { events = [], next } = query.data ?? {};
  const last = events.at(-1);
  useMemberNames(events);
  return (
    <OverviewCard
      title={texts.activity}
      all={{ href: viewPaths.activity, label: texts.activityAll }}
      query={query}
    >
      {query.isSuccess && events.length === 0 && <p className="hint">{texts.noActivity}</p>}
      <ul className="overview-list">
        {foldEvents(events)
          .slice(0, ENTRIES)
          .map((entry) => {
            const newest = entry.burst ? entry.events[0] : entry.event;
            return (
              <li key={newest.id}>
                <p className="overview-event">
                  {entry.burst ? (
                    <BurstSentence
                      events={entry.events}
                      hasMore={next !== undefined && entry.events.at(-1) === last}
                    />
                  ) : (
                    <EventSentence event={entry.event} historyOf={undefined} />
                  )}
                </p>
                <span className="hint overview-end">
                  <Timestamp iso={newest.time} />
                </span>
              </li>
            );
          })}
      </ul>
    </OverviewCard>
  );
}
