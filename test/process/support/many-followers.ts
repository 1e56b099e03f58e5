/** Opens many followers in a process of its own. Its input is a `FollowerPlan`, and it answers each "report" with a report. */
import type { Socket } from "bun";

export interface FollowerPlan {
  readonly port: number;
  readonly keys: readonly string[];
  /** How many followers read what they get, and how many read nothing after the first bytes. */
  readonly reading: number;
  readonly silent: number;
}

export interface FollowerReport {
  /** Followers that have got the beginning of their stream. */
  readonly open: number;
  /** How often a reading follower was disconnected, and continued after its last event. */
  readonly continued: number;
  /** The ids of the events that every reading follower has got, if all got the same ones. */
  readonly ids: readonly string[] | undefined;
  /** The fewest events that a reading follower has got. */
  readonly fewest: number;
}

interface State {
  readonly key: string;
  readonly reads: boolean;
  /** The last bytes, which may be the beginning of an id. */
  rest: Buffer;
  ids: string[];
  isOpen: boolean;
}

const AT_ONCE = 100;
const RETRY_MS = 1000;
/** Only events have data: the id of a heartbeat, or at the beginning of a stream, is that of an event before. */
const ID = Buffer.from("\nid: ");
const ID_CHARACTERS = 11;
const DATA = "\ndata: ";
const EVENT_START = ID.length + ID_CHARACTERS + DATA.length;

const states: State[] = [];
let continued = 0;

function receive(state: State, bytes: Uint8Array): void {
  const all = Buffer.concat([state.rest, bytes]);
  let at = all.indexOf(ID);
  for (; at >= 0 && at + EVENT_START <= all.length; at = all.indexOf(ID, at + ID.length)) {
    const id = all.toString("latin1", at + ID.length, at + ID.length + ID_CHARACTERS);
    const next = all.toString("latin1", at + ID.length + ID_CHARACTERS, at + EVENT_START);
    if (next === DATA) state.ids.push(id);
  }
  state.rest = Buffer.from(all.subarray(at >= 0 ? at : Math.max(0, all.length - ID.length + 1)));
}

async function open(port: number, state: State): Promise<void> {
  const { key, reads } = state;
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open(socket) {
        const last = state.ids.at(-1);
        const headers = [
          "Host: localhost",
          "Accept: text/event-stream",
          `Authorization: Bearer ${key}`,
          ...(last === undefined ? [] : [`Last-Event-ID: ${last}`]),
        ];
        socket.write(`GET /api/events HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
      },
      data(socket: Socket, bytes) {
        receive(state, bytes);
        state.isOpen ||= Buffer.from(bytes).includes("retry: ");
        if (!reads && state.isOpen) socket.pause();
      },
      close() {
        if (!reads) return;
        continued++;
        state.rest = Buffer.alloc(0);
        setTimeout(() => void open(port, state), RETRY_MS);
      },
      error: () => undefined,
    },
  });
}

function report(): FollowerReport {
  const read = states.filter(({ reads }) => reads).map(({ ids }) => ids);
  const [first = []] = read;
  return {
    open: states.filter(({ isOpen }) => isOpen).length,
    continued,
    ids: read.every((ids) => ids.join() === first.join()) ? first : undefined,
    fewest: Math.min(...read.map(({ length }) => length)),
  };
}

async function openAll({ port, keys, reading, silent }: FollowerPlan): Promise<void> {
  const total = reading + silent;
  for (let index = 0; index < total; index++) {
    // Readers and others take turns, so that each key has both.
    const readers = [index, index + 1].map((count) => Math.floor((count * reading) / total));
    const reads = readers[0] !== readers[1];
    const key = keys[index % keys.length] ?? "";
    states.push({ key, reads, rest: Buffer.alloc(0), ids: [], isOpen: false });
  }
  for (let i = 0; i < total; i += AT_ONCE)
    await Promise.all(states.slice(i, i + AT_ONCE).map((state) => open(port, state)));
}

process.on("message", async (message: FollowerPlan | "report") => {
  if (message === "report") process.send?.(report());
  else await openAll(message);
});
