import { type ReactNode, useEffect } from "react";
import { shell } from "../texts/index.ts";

interface ViewProps {
  /** CSS class of the view. */
  readonly name: string;
  readonly title: string;
  readonly count?: string | undefined;
  readonly lead?: string;
  /** Content next to the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** Names the browser tab, until the component unmounts. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = shell.titleOf(title);
    return () => {
      document.title = before;
    };
  }, [title]);
}

/** Layout of a page: title, actions and content. Names the browser tab. */
export function View({ name, title, count, lead, aside, children }: ViewProps) {
  useTabTitle(title);
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
