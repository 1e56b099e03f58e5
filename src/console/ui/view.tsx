import type { ReactNode } from "react";

interface ViewProps {
  /** What styles know it by. */
  readonly name: string;
  readonly title: string;
  readonly count?: string | undefined;
  readonly lead?: string;
  /** What stands beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One of the places that the navigation leads to. */
export function View({ name, title, count, lead, aside, children }: ViewProps) {
  return (
    <div className={`view ${name}`}>
      <header className="view-head">
        <div>
          <h1 className="view-title">
            {title}
            {count !== undefined && <span className="count">{count}</span>}
          </h1>
          {lead !== undefined && <p className="lead">{lead}</p>}
        </div>
        {aside}
      </header>
      {children}
    </div>
  );
}
