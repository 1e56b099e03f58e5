import { periods as texts } from "../texts/overview.ts";
import { Select } from "../ui/select.tsx";
import { type Period, periods } from "./period.ts";

interface PeriodSelectProps {
  readonly value: Period;
  readonly onChoose: (period: Period) => void;
}

export function PeriodSelect({ value, onChoose }: PeriodSelectProps) {
  return (
    <Select
      className="input period-select"
      aria-label={texts.label}
      value={value}
      options={periods}
      getLabel={texts.of}
      onChoose={onChoose}
    />
  );
}
