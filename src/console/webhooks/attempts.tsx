import type { Delivery } from "../../client/index.ts";
import { formatDateTime, formatNumber } from "../texts/format.ts";
import { deliveries as texts } from "../texts/webhooks.ts";
import { resultOf } from "./delivery-columns.tsx";

/** The attempts of a delivery, newest first. */
export function Attempts({ delivery: { attempts } }: { readonly delivery: Delivery }) {
  if (attempts.length === 0) return <p className="hint">{texts.noAttempts}</p>;
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
