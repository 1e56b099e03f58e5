import { isObject } from "../contract/json.ts";
/** The largest body of a delivery. */
export const MAX_PAYLOAD_BYTES = 20_000;
/** The changes of a larger event are left out: parsing them would hold the event loop. */
const MAX_PARSED_CHARACTERS = 262_144;

/** An event to deliver. `json` is the whole event. */
export interface DeliveredEvent {
  readonly type: string;
  readonly time: string;
  readonly subjectId: number;
  readonly json: string;
}

/**
 * The body of a delivery. If it would be too large, the URL of the record replaces the record. If it still is, the changes
 * only name the fields, or are empty.
 */
export function renderPayload(event: DeliveredEvent, serviceUrl: string): string {
  const whole = wrap(event, event.json);
  if (fits(whole)) return whole;
  const record = JSON.stringify(serviceUrl + recordPath(event));
  const changes = parseChanges(event.json);
  const start = event.json.slice(0, event.json.indexOf(',"changes":'));
  const names = Object.fromEntries(Object.keys(changes).map((field) => [field, {}]));
  for (const kept of [changes, names]) {
    const payload = wrap(event, `${start},"changes":${JSON.stringify(kept)},"record":${record}}`);
    if (fits(payload)) return payload;
  }
  return wrap(event, `${start},"changes":{},"record":${record}}`);
}

function wrap({ type, time }: DeliveredEvent, data: string): string {
  return `{"type":"${type}","timestamp":"${time}","data":${data}}`;
}

function fits(payload: string): boolean {
  return Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES;
}

function parseChanges(json: string): object {
  const event: unknown = json.length > MAX_PARSED_CHARACTERS ? {} : JSON.parse(json);
  const changes = isObject(event) && "changes" in event ? event.changes : undefined;
  return isObject(changes) ? changes : {};
}

/** Where a caller can read the record. */
function recordPath({ type, subjectId }: DeliveredEvent): string {
  if (type === "user.deleted") return `/api/deleted-users/${subjectId}`;
  const [subject] = type.split(".");
  return subject === "schema" ? "/api/schema" : `/api/${subject}s/${subjectId}`;
}
