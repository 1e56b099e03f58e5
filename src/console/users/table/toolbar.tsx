import { type RefObject, useEffect, useRef, useState } from "react";
import { listLimits } from "../../../contract/listing.ts";
import { users as texts } from "../../texts/index.ts";
import { SearchField } from "../../ui/search-field.tsx";
import { Select } from "../../ui/select.tsx";
import { useFieldLabel } from "../field-info.ts";
import { type ListParams, sorts } from "../list-params.ts";

/** Delay between the last key press and the search. */
const DEBOUNCE_MS = 180;

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (q: string) => void;
  /** Moves the focus to the rows. */
  readonly onEnterRows: () => void;
  readonly input: RefObject<HTMLInputElement | null>;
}

/** Searches while the person types. */
export function SearchBox({ label, value, onChange, onEnterRows, input }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // The URL may change by other means, such as the Back button. A search that was sent may already have more characters.
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      onChange(typed);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <SearchField
      label={label}
      clearLabel={texts.clearSearch}
      title={texts.searchHint}
      maxLength={listLimits.searchCharacters}
      hint={<kbd aria-hidden>/</kbd>}
      input={input}
      value={typed}
      onChange={setTyped}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        onEnterRows();
      }}
    />
  );
}

interface SortSelectProps {
  readonly sort: ListParams["sort"];
  readonly onChange: (sort: ListParams["sort"]) => void;
}

/** Sort order for small screens, which have no column headings. */
export function SortSelect({ sort, onChange }: SortSelectProps) {
  const labelOf = useFieldLabel();
  return (
    <Select
      className="input sort-choice"
      aria-label={texts.sort.by}
      value={sort}
      // The table may be sorted by a custom field.
      options={sorts.includes(sort) ? sorts : [...sorts, sort]}
      getLabel={(choice) => texts.sort.choice(labelOf(choice.replace("-", "")), choice.startsWith("-"))}
      onChoose={onChange}
    />
  );
}
