import { type ReactNode, useId } from "react";

interface SectionProps {
  readonly className: string;
  readonly title: string;
  readonly count?: string | undefined;
  readonly hint: string;
  /** Buttons beside the title. */
  readonly tools: ReactNode;
  readonly children: ReactNode;
}

/** A part of a view with a title of its own. */
export function Section({ className, title, count, hint, tools, children }: SectionProps) {
  const heading = useId();
  return (
    <section className={className} aria-labelledby={heading}>
      <div className="section-head">
        <div>
          <h2 id={heading} className="section-title">
            {title} {count !== undefined && <span className="count">{count}</span>}
          </h2>
          <p className="hint">{hint}</p>
        </div>
        {tools}
      </div>
      {children}
    </section>
  );
}
