import { useState } from "react";
import type { RosterEvent } from "../../client/index.ts";
import { activity, eventTypeLabels } from "../texts/activity.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { useActorLabels } from "./actor-labels.ts";
import { type ActivityFilters, eventTypeFilters, periods } from "./event-filters.ts";
import { SubjectFilter } from "./subject-filter.tsx";

const texts = activity.filters;

interface ToolsProps {
  readonly filters: ActivityFilters;
  /** The loaded events: their actors and users are choices. */
  readonly events: readonly RosterEvent[];
  readonly onChange: (change: Partial<ActivityFilters>) => void;
}

const typeChoices = ["", ...eventTypeFilters] as const;

export function ActivityTools({ filters, events, onChange }: ToolsProps) {
  const actors = useActorLabels(events, filters.actor);
  const period = filters.within ?? ((filters.from ?? filters.to) ? "days" : "any");
  const [isChoosingDays, setChoosingDays] = useState(false);
  const hasDays = filters.within === undefined && (isChoosingDays || period === "days");
  return (
    <div className="activity-tools">
      <Field label={texts.type}>
        <Select
          value={filters.type ?? ""}
          options={typeChoices}
          getLabel={(type) => (type === "" ? texts.anyType : eventTypeLabels[type])}
          onChoose={(type) => onChange({ type: type === "" ? undefined : type })}
        />
      </Field>
      <SubjectFilter onChoose={(subject) => onChange({ subject })} />
      <Field label={texts.actor}>
        <Select
          value={filters.actor ?? ""}
          options={["", ...actors.keys()]}
          getLabel={(actor) => (actor === "" ? texts.anyActor : (actors.get(actor) ?? actor))}
          onChoose={(actor) => onChange({ actor: actor === "" ? undefined : actor })}
        />
      </Field>
      <Field label={texts.period}>
        <Select
          value={hasDays ? "days" : period}
          options={["any", ...periods, "days"]}
          getLabel={(choice) => activity.periods[choice]}
          onChoose={(choice) => {
            setChoosingDays(choice === "days");
            const within = choice === "days" || choice === "any" ? undefined : choice;
            onChange({ within, from: undefined, to: undefined });
          }}
        />
      </Field>
      {hasDays && (
        <>
          <DayField label={texts.from} day={filters.from} onChange={(from) => onChange({ from })} />
          <DayField label={texts.to} day={filters.to} onChange={(to) => onChange({ to })} />
        </>
      )}
    </div>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly day: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

function DayField({ label, day = "", onChange }: DayFieldProps) {
  return (
    <Field label={label}>
      <input
        type="date"
        min="1970-01-01"
        max="2199-12-31"
        value={day}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      />
    </Field>
  );
}
