import type { Delivery } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { deliveries as texts } from "../texts/webhooks.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { resultOf } from "./delivery-columns.tsx";

/** The attempts of a delivery, newest first. */
export function Attempts({ delivery: { attempts } }: { readonly delivery: Delivery }) {
  if (attempts.length === 0) return null;
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
            <td data-label={texts.time}>
              <Timestamp iso={attempt.time} form="exact" />
            </td>
            <td data-label={texts.result}>{resultOf(attempt)}</td>
            <td data-label={texts.duration}>{texts.ms(formatNumber(Math.round(attempt.durationMs)))}</td>
            <td data-label={texts.error}>{attempt.error}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
