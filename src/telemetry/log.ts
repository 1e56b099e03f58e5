const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

type Fields = Record<string, string | number | boolean | undefined>;

/** Colours text for a terminal. */
export type Paint = (colour: "grey" | "cyan" | "yellow" | "red", text: string) => string;

export interface Log {
  /** Whether this level is logged. Check before you build the fields of a frequent entry. */
  enabled(level: Level): boolean;
  write(level: Level, message: string, fields?: Fields): void;
}

export interface LogOptions {
  readonly level: Level;
  /** One JSON object per line, or text. */
  readonly json: boolean;
  /** Colours parts of text. Default: no colours. */
  readonly paint?: Paint;
  readonly out: (line: string) => void;
}

/** Callers name each field: they never log request bodies, query strings or headers. */
export function createLog({ level: minimum, json, paint = (_, text) => text, out }: LogOptions): Log {
  const logged = new Set(levels.slice(levels.indexOf(minimum)));
  const enabled = (level: Level) => logged.has(level);
  const render = json
    ? formatJson
    : (level: Level, message: string, fields: Fields) => formatText(level, message, fields, paint);
  return {
    enabled,
    write(level, message, fields = {}) {
      if (enabled(level)) out(`${render(level, message, fields)}\n`);
    },
  };
}

function formatJson(level: Level, message: string, fields: Fields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
}

const colours = { debug: "grey", info: "cyan", warn: "yellow", error: "red" } as const;

function formatText(level: Level, message: string, fields: Fields, paint: Paint): string {
  const time = new Date().toTimeString().slice(0, 8);
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${paint("grey", `${name}=`)}${quoteUnprintable(String(value))}`);
  return [paint("grey", time), paint(colours[level], level.padEnd(5)), message, ...details].join(" ");
}

/** Quotes text that could move the terminal's cursor or start a new line. */
function quoteUnprintable(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) && !text.includes(" ") ? text : JSON.stringify(text);
}
