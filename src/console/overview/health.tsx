import { useQuery } from "@tanstack/react-query";
import { isOutcomeUnknown } from "../lib/api.ts";
import { formatNumber } from "../texts/format.ts";
import { overview as texts } from "../texts/overview.ts";
import { CircleAlert, CircleCheck, CircleDashed, type Icon } from "../ui/icons.ts";
import { OverviewCard } from "./overview-card.tsx";
import { healthQuery } from "./queries.ts";

type State = keyof typeof texts.healthStates;

const icons: Record<State, Icon> = {
  checking: CircleDashed,
  working: CircleCheck,
  failing: CircleAlert,
  away: CircleAlert,
};

/** Whether the service and its database work. Checked every half minute. */
export function Health() {
  const { data, error, isPending } = useQuery(healthQuery);
  const state: State = error
    ? isOutcomeUnknown(error)
      ? "away"
      : "failing"
    : isPending
      ? "checking"
      : "working";
  const Icon = icons[state];
  return (
    <OverviewCard title={texts.health}>
      <div role="status">
        <p className={`overview-health ${state}`}>
          <Icon aria-hidden />
          {texts.healthStates[state]}
        </p>
      </div>
      {state === "working" && data !== undefined && (
        <p className="hint">{texts.responseTime(formatNumber(Math.max(1, Math.round(data))))}</p>
      )}
    </OverviewCard>
  );
}
