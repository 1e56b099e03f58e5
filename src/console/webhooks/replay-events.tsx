import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReplayRange } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { replay as texts } from "../texts/webhooks.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { Select } from "../ui/select.tsx";
import { showToast } from "../ui/toasts.tsx";

/** Hours until now, or own times. */
const ranges = ["1", "24", "168", "own"] as const;
const HOUR = 3_600_000;

interface ReplayEventsProps {
  readonly id: number;
  readonly onSent: () => unknown;
  readonly onClose: () => void;
}

/** Sends the events of a time range again. */
export function ReplayEvents({ id, onSent, onClose }: ReplayEventsProps) {
  const [range, setRange] = useState<(typeof ranges)[number]>("1");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [missing, setMissing] = useState(false);
  const replay = useMutation({
    mutationFn: (times: ReplayRange) => roster.webhooks.replay(id, times),
    onSuccess: () => {
      showToast({ title: texts.done });
      onClose();
      return onSent();
    },
  });
  const submit = () => {
    if (range === "own" && from === "") return setMissing(true);
    const start = range === "own" ? new Date(from) : new Date(Date.now() - Number(range) * HOUR);
    if (!replay.isPending)
      replay.mutate({ from: start, ...(range === "own" && to !== "" && { to: new Date(to) }) });
  };
  return (
    <FormModal
      title={texts.title}
      lead={texts.lead}
      submitLabel={texts.action}
      busy={replay.isPending}
      error={replay.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={texts.range}>
        <Select value={range} options={ranges} getLabel={(each) => texts.ranges[each]} onChoose={setRange} />
      </Field>
      {range === "own" && (
        <div className="pair times">
          <Field label={texts.from} error={missing ? texts.noFrom : undefined}>
            <input
              type="datetime-local"
              value={from}
              onChange={({ target }) => {
                setFrom(target.value);
                setMissing(false);
              }}
            />
          </Field>
          <Field label={texts.to} hint={texts.toHint}>
            <input type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} />
          </Field>
        </div>
      )}
    </FormModal>
  );
}
