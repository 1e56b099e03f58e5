import type { FieldSpec } from "../fields/field-spec.ts";
import { truncate } from "../texts/format.ts";
import { yesNoWords } from "../texts/yes-no.ts";
import { type ColumnType, columnTypes, parseCell, parseJson } from "./column-type.ts";

/** Cells that were seen are not parsed again: most columns have few different values. */
const MAX_REMEMBERED = 1000;
const MAX_EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 60;
/** All that numbers and dates consist of. */
const NUMBER_OR_DATE = /^[-+\d.,'’\u00a0\u202f /:eET]{1,40}$/;
const STARTS_JSON = /^["[{]/;
/** The types that a cell with words does not have: most cells have words, and to parse each as every type takes long. */
const typesWithoutWords = columnTypes.filter((type) => parseCell("a word", type).error !== undefined);

function isWords(text: string): boolean {
  return !NUMBER_OR_DATE.test(text) && !STARTS_JSON.test(text) && !yesNoWords.has(text.toLowerCase());
}

const dateTypes: readonly ColumnType[] = ["dayFirst", "date", "monthFirst"];

/** How a reader's language writes numbers and dates. It decides where a file can be read in two ways. */
export interface ReaderLanguage {
  readonly hasDecimalComma: boolean;
  readonly hasDayFirst: boolean;
}

export function readerLanguage(locale?: string): ReaderLanguage {
  const parts = new Intl.DateTimeFormat(locale, { day: "numeric", month: "numeric", year: "numeric" })
    .formatToParts(0)
    .map(({ type }) => type);
  return {
    hasDecimalComma: new Intl.NumberFormat(locale).format(1.5).includes(","),
    hasDayFirst: parts.indexOf("day") < parts.indexOf("month"),
  };
}

/** What the cells of a CSV column can be read as. Empty cells and `null` do not count. */
export class ColumnProfile {
  /** Cells with a value. */
  present = 0;
  /** The first different cells, truncated. */
  readonly examples = new Set<string>();
  readonly #misfits = new Map(columnTypes.map((type) => [type, { count: 0, examples: new Set<string>() }]));
  readonly #remembered = new Map<string, readonly ColumnType[]>();
  /** Whether a cell is an identifier rather than a number: `007` or `+31612345678`. */
  #hasIdentifiers = false;
  /** Whether a decimal comma would give a cell another value, as in `1,234` and `1.234`. */
  #hasAmbiguousNumbers = false;
  #isAllJson = true;

  add(cell: string): void {
    const text = cell.trim();
    if (text === "") return;
    addExample(this.examples, text);
    if (text === "null") return;
    this.present++;
    const misfitting = this.#remembered.get(text) ?? this.#examine(text, cell);
    for (const type of misfitting) {
      const misfits = this.#misfits.get(type);
      if (!misfits) continue;
      misfits.count++;
      addExample(misfits.examples, text);
    }
  }

  /** The cells that do not have this type: their number, and the first different ones. */
  misfits(type: ColumnType): { readonly count: number; readonly examples: ReadonlySet<string> } {
    return this.#misfits.get(type) ?? { count: 0, examples: new Set() };
  }

  /**
   * The type of the field, by the schema or by the values that users have. If the field can have any type: the type of most cells.
   * What happens to the other cells is for the person to decide.
   */
  chooseType({ types, control }: FieldSpec, language: ReaderLanguage): ColumnType {
    const [type = "", ...others] = types;
    const known = others.length > 0 ? undefined : typesOfSchema[type];
    if (known === "number") return this.#chooseNumber(language);
    if (known === "text") return control === "date" ? this.#chooseDate(language) : known;
    return known ?? this.#detect(language);
  }

  /** The type of the field, if values of these types do not have it. */
  chooseOtherType(
    spec: FieldSpec,
    types: ReadonlySet<string>,
    language: ReaderLanguage,
  ): ColumnType | undefined {
    const [type = "", ...others] = spec.types;
    const known = others.length > 0 ? undefined : typesOfSchema[type];
    const isOther = known !== undefined && [...types].some((name) => typesOfSchema[name] !== known);
    return isOther ? this.chooseType(spec, language) : undefined;
  }

  /** Whether all cells are dates. */
  get hasOnlyDates(): boolean {
    return this.present > 0 && dateTypes.some((type) => this.misfits(type).count === 0);
  }

  #detect(language: ReaderLanguage): ColumnType {
    if (this.present === 0) return "text";
    if (this.#isAllJson) return this.misfits("list").count === 0 ? "list" : "json";
    const number = this.#chooseNumber(language);
    const candidates: ColumnType[] = ["boolean", this.#chooseDate(language)];
    if (!this.#hasIdentifiers) candidates.unshift(number);
    const [best = "text"] = candidates.toSorted((a, b) => this.misfits(a).count - this.misfits(b).count);
    return this.misfits(best).count * 2 < this.present ? best : "text";
  }

  #chooseNumber({ hasDecimalComma }: ReaderLanguage): ColumnType {
    const difference = this.misfits("commaNumber").count - this.misfits("number").count;
    const isComma = difference === 0 ? this.#hasAmbiguousNumbers && hasDecimalComma : difference < 0;
    return isComma ? "commaNumber" : "number";
  }

  #chooseDate({ hasDayFirst }: ReaderLanguage): ColumnType {
    const byLanguage = hasDayFirst ? dateTypes : dateTypes.toReversed();
    const [best = "date"] = byLanguage.toSorted((a, b) => this.misfits(a).count - this.misfits(b).count);
    return best;
  }

  /** The types that the cell does not have. */
  #examine(text: string, cell: string): readonly ColumnType[] {
    if (isWords(text)) {
      this.#isAllJson = false;
      return typesWithoutWords;
    }
    const isJson = /^[[{]/.test(text) && parseJson(text) !== undefined;
    if (!isJson) this.#isAllJson = false;
    if (/^(?:\+|[-]?0\d)/.test(text) && /^[+-]?\d[\d ]*$/.test(text)) this.#hasIdentifiers = true;
    const misfitting = columnTypes.filter((type) => parseCell(cell, type).error !== undefined);
    const isNumber = !misfitting.includes("number") && !misfitting.includes("commaNumber");
    if (isNumber && parseCell(cell, "number").value !== parseCell(cell, "commaNumber").value) {
      this.#hasAmbiguousNumbers = true;
    }
    if (this.#remembered.size < MAX_REMEMBERED) this.#remembered.set(text, misfitting);
    return misfitting;
  }
}

const typesOfSchema: Readonly<Record<string, ColumnType>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  array: "list",
  object: "json",
};

/** Keeps the first different values, truncated. */
function addExample(examples: Set<string>, text: string): void {
  if (examples.size < MAX_EXAMPLES) examples.add(truncate(text, EXAMPLE_CHARACTERS));
}
