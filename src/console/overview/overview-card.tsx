import type { ReactNode } from "react";
import { Link } from "wouter";

interface OverviewCardProps {
  readonly title: string;
  /** The link to the view that has everything. */
  readonly all?: { readonly href: string; readonly label: string };
  readonly children: ReactNode;
}

export function OverviewCard({ title, all, children }: OverviewCardProps) {
  return (
    <section className="card overview-card">
      <header className="overview-card-head">
        <h2 className="section-title">{title}</h2>
        {all && <Link href={all.href}>{all.label}</Link>}
      </header>
      {children}
    </section>
  );
}
