import { ChevronDown } from "lucide-react";
import { Suspense, useId, useState } from "react";
import { useHasScope } from "../lib/session.ts";
import { user as texts } from "../texts/index.ts";
import { ErrorBoundary, lazyComponent } from "../ui/error-boundary.tsx";
import { Loading } from "../ui/states.tsx";

const UserHistory = lazyComponent(() => import("./user-history.tsx"));

/** A section of a user's form that shows the user's events when it is opened. */
export function HistorySection({ id }: { readonly id: number }) {
  const [open, setOpen] = useState(false);
  const content = useId();
  const canRead = useHasScope("events:read");
  if (!canRead) return null;
  return (
    <section className="history">
      <h3 className="section-title">
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
      </h3>
      {open && (
        <div id={content}>
          <ErrorBoundary>
            <Suspense fallback={<Loading />}>
              <UserHistory id={id} />
            </Suspense>
          </ErrorBoundary>
        </div>
      )}
    </section>
  );
}
