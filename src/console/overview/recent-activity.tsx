import { useQuery } from "@tanstack/react-query";
import { EventSentence } from "../activity/event-sentence.tsx";
import { overview as texts } from "../texts/overview.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { viewPaths } from "../view-paths.ts";
import { OverviewCard } from "./overview-card.tsx";
import { recentQuery } from "./queries.ts";

/** The last events, as sentences. */
export function RecentActivity() {
  const query = useQuery(recentQuery);
  const { data: events } = query;
  return (
    <OverviewCard
      title={texts.activity}
      all={{ href: viewPaths.activity, label: texts.activityAll }}
      query={query}
    >
      {events?.length === 0 && <p className="hint">{texts.noActivity}</p>}
      <ul className="overview-list">
        {events?.map((event) => (
          <li key={event.id}>
            <p className="overview-event">
              <EventSentence event={event} inHistory={false} />
            </p>
            <span className="hint overview-end">
              <Timestamp iso={event.time} />
            </span>
          </li>
        ))}
      </ul>
    </OverviewCard>
  );
}
