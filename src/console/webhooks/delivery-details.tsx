import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { Delivery, DeliveryDetails as Details } from "../../client/index.ts";
import { deliveryDetails as texts } from "../texts/delivery-details.ts";
import { formatDateTime } from "../texts/format.ts";
import { ErrorState, Loading } from "../ui/states.tsx";
import { deliveryQuery } from "./queries.ts";

interface DeliveryDetailsProps {
  readonly webhookId: number;
  readonly delivery: Delivery;
}

/** What was sent at the last attempt, and what the receiver answered. */
export function DeliveryDetails({ webhookId, delivery }: DeliveryDetailsProps) {
  const { data, error, refetch } = useQuery(deliveryQuery(webhookId, delivery));
  if (data) {
    return (
      <div className="delivery-details">
        <Request details={data} />
        <Response details={data} />
      </div>
    );
  }
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
}

function Request({ details: { attempts, request } }: { readonly details: Details }) {
  const heading = useId();
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{texts.request}</h3>
      {request === null ? (
        <p className="hint">{attempts.length === 0 ? texts.notSent : texts.notKept}</p>
      ) : (
        <>
          <p className="hint">{request.exact ? texts.exact : texts.changed}</p>
          <table className="values">
            <caption>{texts.headers}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.name}</th>
                <th scope="col">{texts.value}</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(request.headers).map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Text label={texts.body} text={formatJson(request.body)} />
        </>
      )}
    </section>
  );
}

function Response({ details }: { readonly details: Details }) {
  const heading = useId();
  const { attempts, response } = details;
  const last = attempts.at(-1);
  const answered = response ? attempts.find(({ time }) => time === response.time) : last;
  if (!last) return null;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{texts.response}</h3>
      {typeof answered?.status === "number" && <p>{texts.status(answered.status)}</p>}
      {response && response.time !== last.time && (
        <p className="hint">{texts.earlier(formatDateTime(response.time))}</p>
      )}
      {response ? (
        response.body === "" ? (
          <p className="hint">{texts.noBody}</p>
        ) : (
          <>
            <Text label={texts.body} text={response.body} />
            {response.cut && <p className="hint">{texts.cut}</p>}
          </>
        )
      ) : (
        <p className="hint">{whyNothing(details)}</p>
      )}
    </section>
  );
}

/** Text of others: React writes it as text, never as HTML. */
function Text({ label, text }: { readonly label: string; readonly text: string }) {
  const name = useId();
  return (
    <>
      <p id={name}>{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls has to be reachable with the keyboard */}
      <section className="delivery-text" aria-labelledby={name} tabIndex={0}>
        <pre dir="auto">{text}</pre>
      </section>
    </>
  );
}

/** Why no response is shown. */
function whyNothing({ attempts, storesResponses }: Details): string {
  if (attempts.at(-1)?.status === null) return texts.noResponse;
  return storesResponses ? texts.notStored.other : texts.notStored.off;
}

function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
