import type { RosterEvent } from "../../client/index.ts";
import { eventSubjectTypes } from "../../contract/events/event.ts";
import { activity } from "../texts/activity.ts";
import { Button } from "../ui/button.tsx";
import { X } from "../ui/icons.ts";
import { subjectFilter, subjectLabel } from "./describe-event.ts";
import { type ActivityFilters, isFiltered, type Subject } from "./event-filters.ts";

const texts = activity.filters;

interface FilterChipsProps {
  readonly filters: ActivityFilters;
  /** The loaded events, which know the name of the subject. */
  readonly events: readonly RosterEvent[];
  readonly onRemoveSubject: () => void;
  readonly onClear: () => void;
}

/** The subject of the events, which no other control shows, and a button that removes all filters. */
export function FilterChips({ filters, events, onRemoveSubject, onClear }: FilterChipsProps) {
  if (!isFiltered(filters)) return null;
  const { subject } = filters;
  const label = subject && labelOf(subject, events);
  return (
    <div className="chips">
      {label !== undefined && (
        <span className="chip">
          {label}
          <button type="button" aria-label={texts.remove(label)} onClick={onRemoveSubject}>
            <X aria-hidden />
          </button>
        </span>
      )}
      <Button kind="quiet" onClick={onClear}>
        {texts.clear}
      </Button>
    </div>
  );
}

function labelOf(subject: Subject, events: readonly RosterEvent[]): string {
  const [kind, id] = subject.split(":");
  const event = events.find((event) => subjectFilter(event) === subject && event.record !== null);
  if (event && kind !== "schema") return subjectLabel(event);
  const type = eventSubjectTypes.find((type) => type === kind) ?? "user";
  return activity.subjectFilter[type](Number(id));
}
