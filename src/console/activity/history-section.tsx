import { useId, useState } from "react";
import type { User } from "../../client/index.ts";
import { useHasScope } from "../lib/session.ts";
import { user as texts } from "../texts/index.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ChevronDown } from "../ui/icons.ts";
import UserHistory from "./user-history.tsx";

interface HistorySectionProps {
  readonly user: User;
  /** The heading's level. */
  readonly level: 2 | 3;
  /** Whether a person has to open the section. */
  readonly folded?: boolean;
}

/** The events of a user. */
export function HistorySection({ user, level, folded = false }: HistorySectionProps) {
  const [open, setOpen] = useState(!folded);
  const content = useId();
  const heading = useId();
  const Heading = `h${level}` as const;
  const canRead = useHasScope("events:read");
  if (!canRead) return null;
  return (
    <section className="history" aria-labelledby={heading}>
      <Heading id={heading} className="section-title">
        {folded ? (
          <button
            type="button"
            className="history-toggle"
            aria-expanded={open}
            aria-controls={open ? content : undefined}
            onClick={() => setOpen(!open)}
          >
            {texts.history}
            <ChevronDown aria-hidden />
          </button>
        ) : (
          texts.history
        )}
      </Heading>
      {open && (
        <div id={content}>
          <ErrorBoundary>
            <UserHistory user={user} level={level} />
          </ErrorBoundary>
        </div>
      )}
    </section>
  );
}
