import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Stats } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { overview as texts } from "../texts/overview.ts";
import { viewPaths } from "../view-paths.ts";
import { inactiveQuery } from "./queries.ts";

/** The numbers of the period. */
export function Figures({ stats: { days } }: { readonly stats: Stats }) {
  const sum = (count: "created" | "deleted" | "restored") =>
    days.reduce((total, day) => total + day[count], 0);
  const [created, deleted, restored] = [sum("created"), sum("deleted"), sum("restored")];
  const total = days.at(-1)?.total ?? 0;
  const average = Math.round((10 * created) / days.length) / 10;
  return (
    <dl className="overview-figures">
      <Figure
        name={texts.users}
        value={formatNumber(total)}
        hint={describeChange(created + restored - deleted)}
      />
      <Figure
        name={texts.created}
        value={formatNumber(created)}
        hint={average > 0 ? texts.perDay(formatNumber(average)) : undefined}
      />
      <Figure
        name={texts.deleted}
        value={formatNumber(deleted)}
        hint={restored > 0 ? texts.restoredToo(formatNumber(restored)) : undefined}
      />
      <InactiveUsers total={total} />
    </dl>
  );
}

function describeChange(change: number): string {
  if (change === 0) return texts.unchanged;
  return change > 0 ? texts.grown(formatNumber(change)) : texts.shrunk(formatNumber(-change));
}

/** Shown only if the directory uses the field `active`. */
function InactiveUsers({ total }: { readonly total: number }) {
  const { data } = useQuery(inactiveQuery);
  if (!data || data.count === 0) return null;
  const count = formatNumber(data.count) + (data.capped ? "+" : "");
  const active = data.capped
    ? undefined
    : `${texts.active}: ${formatNumber(Math.max(0, total - data.count))}`;
  return (
    <Figure
      name={texts.inactive}
      value={
        <Link className="entry-link" href={`${viewPaths.users}?active=false`} title={texts.inactiveHint}>
          {count}
        </Link>
      }
      hint={active}
    />
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly hint?: string | undefined;
}

function Figure({ name, value, hint }: FigureProps) {
  return (
    <div className="card overview-figure">
      <dt className="hint">{name}</dt>
      <dd>
        <span className="overview-number figure">{value}</span>
        {hint !== undefined && <span className="hint">{hint}</span>}
      </dd>
    </div>
  );
}
