/** A command-line flag. Required if it has no default. */
export interface Flag<T> {
  /** The flag's name. Secrets have none: other users of the machine can read the command line. */
  readonly flag?: string;
  /** The letter of the short form: `o` for `-o`. */
  readonly short?: string;
  /**
   * How the flag is written, unless as a name and a value. `list`: repeatable, or once with commas. `repeated`: repeatable;
   * `parse` gets the values joined by U+0000. `switch`: the name alone, which means `true`. `word`: a positional argument.
   * `named-word`: a positional argument, or a name and a value. `words`: all remaining positional arguments; `parse` gets
   * them joined by U+0000.
   */
  readonly form?: "list" | "repeated" | "switch" | "word" | "named-word" | "words";
  readonly env?: string;
  /** Parsed like a value that the user writes. */
  readonly default?: string;
  /** The valid values, in words that complete "Use …". */
  readonly takes: string;
  /** Every valid value if they are few, or the usual ones. Shell completion offers them. */
  readonly choices?: readonly string[];
  readonly about: string;
  /** Throws if the text is invalid. */
  readonly parse: (text: string, source: FlagSource) => T;
}

/** Where the text of a flag comes from. */
export type FlagSource = "flag" | "variable" | "default";
