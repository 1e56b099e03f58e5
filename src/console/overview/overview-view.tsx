import { useQuery } from "@tanstack/react-query";
import type { Stats } from "../../client/index.ts";
import { Chart } from "../charts/chart.tsx";
import { toPoints } from "../charts/day-points.ts";
import { useHasScope } from "../lib/session.ts";
import { formatNumber } from "../texts/format.ts";
import { overview as texts } from "../texts/overview.ts";
import { ErrorState, Loading } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import NoUsers from "../users/empty/no-users.tsx";
import { Figures } from "./figures.tsx";
import { Health } from "./health.tsx";
import { KeyRequests } from "./key-requests.tsx";
import { NewestUsers } from "./newest-users.tsx";
import { type Period, usePeriod } from "./period.ts";
import { PeriodSelect } from "./period-select.tsx";
import { statsQuery } from "./queries.ts";
import { RecentActivity } from "./recent-activity.tsx";

/** The state of the directory and of the service at a glance. */
export default function OverviewView() {
  const [period, choosePeriod] = usePeriod();
  return (
    <View name="overview" title={texts.title} aside={<PeriodSelect value={period} onChoose={choosePeriod} />}>
      <Overview period={period} />
    </View>
  );
}

function Overview({ period }: { readonly period: Period }) {
  const stats = useQuery(statsQuery(Number(period)));
  const canManageKeys = useHasScope("keys:manage");
  const canReadEvents = useHasScope("events:read");
  if (stats.isPending) return <Loading />;
  if (!stats.data) return <ErrorState error={stats.error} retry={() => void stats.refetch()} />;
  if (stats.data.days.every(({ total, created }) => total + created === 0))
    return <NoUsers title={texts.welcome} />;
  return (
    <>
      <Figures stats={stats.data} />
      <div className="overview-charts">
        <UsersChart stats={stats.data} />
        <ChangesChart stats={stats.data} />
      </div>
      <div className="overview-cards">
        <NewestUsers />
        {canReadEvents && <RecentActivity />}
        <div className="overview-side">
          {canManageKeys && <KeyRequests period={period} />}
          <Health />
        </div>
      </div>
    </>
  );
}

function UsersChart({ stats: { days } }: { readonly stats: Stats }) {
  const [first = 0, last = 0] = [days[0]?.total, days.at(-1)?.total].map((total) => total ?? 0);
  return (
    <section className="card">
      <Chart
        title={<h2 className="section-title">{texts.totalTitle}</h2>}
        summary={texts.totalSummary(formatNumber(first), formatNumber(last))}
        series={[texts.users]}
        points={toPoints(
          days.map(({ date, total }) => ({ date, values: [total] })),
          "last",
        )}
        kind="line"
      />
    </section>
  );
}

function ChangesChart({ stats: { days } }: { readonly stats: Stats }) {
  const sum = (count: "created" | "deleted") =>
    formatNumber(days.reduce((total, day) => total + day[count], 0));
  return (
    <section className="card">
      <Chart
        title={<h2 className="section-title">{texts.changesTitle}</h2>}
        summary={texts.changesSummary(sum("created"), sum("deleted"))}
        series={[texts.created, texts.deleted]}
        points={toPoints(
          days.map(({ date, created, deleted }) => ({ date, values: [created, deleted] })),
          "sum",
        )}
        kind="bars"
      />
    </section>
  );
}
