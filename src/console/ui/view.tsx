import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { shell } from "../texts/index.ts";
import { ArrowLeft } from "./icons.ts";

interface ViewProps {
  /** CSS class of the view. */
  readonly name: string;
  readonly title: string;
  readonly count?: string | undefined;
  readonly lead?: string | undefined;
  /** An image before the title. */
  readonly icon?: ReactNode;
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
export function View({ name, title, count, lead, icon, aside, children }: ViewProps) {
  useTabTitle(title);
  return (
    <div className={`view ${name}`}>
      <header className="view-head">
        <div className="view-heading">
          {icon}
          <div>
            <h1 className="view-title">
              {title}
              {count !== undefined && <span className="count">{count}</span>}
            </h1>
            {lead !== undefined && (
              <p className="lead" dir="auto">
                {lead}
              </p>
            )}
          </div>
        </div>
        {aside}
      </header>
      {children}
    </div>
  );
}

/** The way from the page of one item to the list. */
export function BackLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="back-link">
      <ArrowLeft aria-hidden />
      {children}
    </Link>
  );
}
