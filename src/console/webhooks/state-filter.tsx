import type { Delivery } from "../../client/index.ts";
import { deliveryFilter as texts } from "../texts/delivery-details.ts";
import { deliveries } from "../texts/webhooks.ts";
import { Select } from "../ui/select.tsx";

const choices = ["all", "waiting", "delivered", "failed"] as const satisfies readonly (
  | "all"
  | Delivery["state"]
)[];

interface StateFilterProps {
  /** Undefined for all deliveries. */
  readonly state: Delivery["state"] | undefined;
  readonly onChoose: (state: Delivery["state"] | undefined) => void;
}

export function StateFilter({ state, onChoose }: StateFilterProps) {
  return (
    <Select
      className="input period-select"
      aria-label={texts.label}
      value={state ?? "all"}
      options={choices}
      getLabel={(choice) => (choice === "all" ? texts.all : deliveries.states[choice])}
      onChoose={(choice) => onChoose(choice === "all" ? undefined : choice)}
    />
  );
}

export function isState(text: string | null): text is Delivery["state"] {
  return text === "waiting" || text === "delivered" || text === "failed";
}
