import { useId, useState } from "react";
import type { Delivery, DeliveryAttempt } from "../../client/index.ts";
import { sendNow } from "../texts/delivery-details.ts";
import { formatDateTime, formatNumber } from "../texts/format.ts";
import { deliveries as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { ChevronDown, CircleAlert, CircleCheck, Clock, type Icon, RotateCw } from "../ui/icons.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { SubjectName } from "./subject-name.tsx";
import { typeLabel } from "./webhook-item.tsx";

interface DeliveryItemProps {
  readonly webhookId: number;
  readonly delivery: Delivery;
  readonly isResending: boolean;
  /** Undefined if the webhook is not active. */
  readonly onResend?: () => void;
}

const marks: Record<Delivery["state"], readonly [Icon, style: string]> = {
  delivered: [CircleCheck, "good"],
  waiting: [Clock, "soon"],
  failed: [CircleAlert, "bad"],
};

export function DeliveryItem({ webhookId, delivery, isResending, onResend }: DeliveryItemProps) {
  const { state, type, subject, attempts } = delivery;
  const [open, setOpen] = useState(false);
  const [Icon, style] = marks[state];
  const title = useId();
  const details = useId();
  return (
    <li className="row-item delivery">
      <div className="row-main">
        <div className="row-title">
          <span className={`badge ${style}`}>
            <Icon aria-hidden />
            {texts.states[state]}
          </span>
          <span id={title}>
            <strong>{typeLabel(type)}</strong> · <SubjectName subject={subject} />
          </span>
        </div>
        <Summary delivery={delivery} />
      </div>
      <div className="row-actions">
        {onResend && (
          <Button
            kind="quiet"
            icon={<RotateCw aria-hidden />}
            aria-describedby={title}
            busy={isResending}
            onClick={onResend}
          >
            {state === "waiting" ? sendNow.waiting : sendNow.finished}
          </Button>
        )}
        {attempts.length > 0 && (
          <Button
            kind="quiet"
            className={open ? "toggle open" : "toggle"}
            icon={<ChevronDown aria-hidden />}
            aria-label={open ? texts.hide : texts.show}
            aria-describedby={title}
            aria-expanded={open}
            aria-controls={open ? details : undefined}
            onClick={() => setOpen(!open)}
          />
        )}
      </div>
      {open && (
        <div id={details} className="row-details">
          <Attempts attempts={attempts} />
          <DeliveryDetails webhookId={webhookId} delivery={delivery} />
        </div>
      )}
    </li>
  );
}

/** The last attempt, and when the next one is. */
function Summary({ delivery: { attempts, nextAttemptAt, state } }: { readonly delivery: Delivery }) {
  const last = attempts.at(-1);
  return (
    <p className="hint">
      {last ? (
        <>
          {resultOf(last)} · {texts.attempts(attempts.length)} · <Timestamp iso={last.time} />
        </>
      ) : (
        texts.noAttempts
      )}
      {state === "waiting" && (
        <>
          {" · "}
          {nextAttemptAt === null ? (
            texts.blocked
          ) : (
            <>
              {texts.next} <Timestamp iso={nextAttemptAt} />
            </>
          )}
        </>
      )}
    </p>
  );
}

function Attempts({ attempts }: Pick<Delivery, "attempts">) {
  return (
    <table className="values attempts">
      <thead>
        <tr>
          <th scope="col">{texts.time}</th>
          <th scope="col">{texts.result}</th>
          <th scope="col">{texts.duration}</th>
          <th scope="col">{texts.error}</th>
        </tr>
      </thead>
      <tbody>
        {attempts.toReversed().map((attempt) => (
          <tr key={attempt.time}>
            <td>
              <time dateTime={attempt.time}>{formatDateTime(attempt.time)}</time>
            </td>
            <td>{resultOf(attempt)}</td>
            <td>{texts.ms(formatNumber(Math.round(attempt.durationMs)))}</td>
            <td>{attempt.error}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function resultOf({ status }: DeliveryAttempt): string {
  return status === null ? texts.noResponse : texts.status(status);
}
