import type { ReactNode } from "react";
import { Link } from "wouter";
import { ErrorState, Loading } from "../ui/states.tsx";

/** The query that the content needs. */
interface CardQuery {
  readonly data: unknown;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface OverviewCardProps {
  readonly title: string;
  /** The link to the view that has everything. */
  readonly all?: { readonly href: string; readonly label: string };
  /** While it has no data, the card shows that it loads, or why it can't. */
  readonly query?: CardQuery | undefined;
  readonly children: ReactNode;
}

export function OverviewCard({ title, all, query, children }: OverviewCardProps) {
  return (
    <section className="card overview-card">
      <header className="overview-card-head">
        <h2 className="section-title">{title}</h2>
        {all && <Link href={all.href}>{all.label}</Link>}
      </header>
      {query === undefined || query.data !== undefined ? (
        children
      ) : query.error ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </section>
  );
}
