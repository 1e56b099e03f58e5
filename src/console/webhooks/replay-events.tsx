import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { ReplayRange } from "../../client/index.ts";
import { RequestError } from "../keys/request-error.tsx";
import { roster } from "../lib/api.ts";
import { shell } from "../texts/index.ts";
import { replay as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
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
  const form = useId();
  const replay = useMutation({
    mutationFn: (times: ReplayRange) => roster.webhooks.replay(id, times),
    onSuccess: () => {
      showToast({ title: texts.done });
      onClose();
      return onSent();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (range === "own" && from === "") return setMissing(true);
    const start = range === "own" ? new Date(from) : new Date(Date.now() - Number(range) * HOUR);
    if (!replay.isPending)
      replay.mutate({ from: start, ...(range === "own" && to !== "" && { to: new Date(to) }) });
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          <Button disabled={replay.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="primary" type="submit" form={form} busy={replay.isPending}>
            {texts.action}
          </Button>
        </>
      }
    >
      <form id={form} className="form" noValidate onSubmit={submit}>
        <Field label={texts.range}>
          <Select
            value={range}
            options={ranges}
            getLabel={(each) => texts.ranges[each]}
            onChoose={setRange}
          />
        </Field>
        {range === "own" && (
          <div className="pair">
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
        <RequestError error={replay.error} />
      </form>
    </Modal>
  );
}
