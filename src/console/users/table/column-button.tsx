import { type ReactNode, useEffect, useId, useRef } from "react";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { ArrowDown, ArrowUp, Columns3, Pin, PinOff } from "../../ui/icons.ts";
import { Popup } from "../../ui/popup.tsx";
import { useFieldLabel } from "../field-info.ts";
import type { ColumnLayout, Step } from "./column-layout.ts";
import type { Density } from "./density.ts";

interface ColumnProps {
  readonly fields: readonly string[];
  readonly layout: ColumnLayout;
  readonly density: Density;
  readonly onDensity: (density: Density) => void;
}

/** Chooses, moves and pins columns, and sets the height of rows. */
export function ColumnButton({ fields, layout, density, onDensity }: ColumnProps) {
  return (
    <Popup
      title={texts.columns.title}
      trigger={
        <Button className="column-choice" icon={<Columns3 aria-hidden />}>
          {texts.columns.button}
        </Button>
      }
    >
      <ColumnList fields={fields} layout={layout} />
      <DensityChoice density={density} onChange={onDensity} />
      <Button kind="quiet" onClick={layout.reset}>
        {texts.columns.reset}
      </Button>
    </Popup>
  );
}

function ColumnList({ fields, layout }: Pick<ColumnProps, "fields" | "layout">) {
  const list = useRef<HTMLUListElement>(null);
  const labelOf = useFieldLabel();
  // The browser drops the focus from an element that moves.
  const focused = useRef<string>(undefined);
  useEffect(() => {
    if (focused.current === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-control="${focused.current}"]`)?.focus();
    focused.current = undefined;
  });
  const known = new Set(fields);
  const shown = layout.shown.filter((field) => known.has(field));
  const hidden = fields.filter((field) => !layout.shown.includes(field));
  const keepFocus = (control: string, action: () => void) => () => {
    focused.current = control;
    action();
  };
  const checkbox = (field: string) => (
    <label className="check-line">
      <input
        type="checkbox"
        data-control={`show-${field}`}
        checked={layout.shown.includes(field)}
        // The name is always visible: it identifies the row.
        disabled={field === "name"}
        onChange={keepFocus(`show-${field}`, () => layout.toggle(field, fields))}
      />
      <span dir="auto">{labelOf(field)}</span>
    </label>
  );
  const button = (
    control: string,
    label: string,
    icon: ReactNode,
    isEnabled: boolean,
    action: () => void,
  ) => (
    <Button
      kind="quiet"
      className="small"
      icon={icon}
      data-control={control}
      aria-label={label}
      title={label}
      // A disabled button would lose the focus.
      aria-disabled={!isEnabled}
      onClick={keepFocus(control, action)}
    />
  );
  const mover = (field: string, step: Step) => {
    const name = labelOf(field);
    const label = step < 0 ? texts.columns.moveLeft(name) : texts.columns.moveRight(name);
    const icon = step < 0 ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />;
    const move = () => layout.move(field, step);
    return button(`move${step}-${field}`, label, icon, layout.canMove(field, step), move);
  };
  const pin = (field: string) => {
    const isPinned = layout.pinned.has(field);
    const name = labelOf(field);
    const label = isPinned ? texts.columns.unpin(name) : texts.columns.pin(name);
    const icon = isPinned ? <PinOff aria-hidden /> : <Pin aria-hidden />;
    return button(`pin-${field}`, label, icon, layout.canPin(field), () => layout.togglePin(field));
  };
  return (
    <ul className="checks" ref={list}>
      {shown.map((field) => (
        <li key={field} className="column-line">
          {checkbox(field)}
          {field !== "name" && (
            <>
              {pin(field)}
              {mover(field, -1)}
              {mover(field, 1)}
            </>
          )}
        </li>
      ))}
      {hidden.map((field) => (
        <li key={field}>{checkbox(field)}</li>
      ))}
    </ul>
  );
}

interface DensityProps {
  readonly density: Density;
  readonly onChange: (density: Density) => void;
}

function DensityChoice({ density, onChange }: DensityProps) {
  const group = useId();
  return (
    <fieldset className="density">
      <legend>{texts.density.label}</legend>
      <div className="segments">
        {(["compact", "comfortable"] as const).map((option) => (
          <label key={option}>
            <input type="radio" name={group} checked={density === option} onChange={() => onChange(option)} />
            {texts.density[option]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
