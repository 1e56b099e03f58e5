import { Autocomplete } from "@base-ui/react/autocomplete";

interface SearchChoiceProps<Item> {
  readonly label: string;
  /** What is typed. */
  readonly text: string;
  readonly onType: (text: string) => void;
  readonly maxLength?: number;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  readonly labelOf: (item: Item) => string;
  readonly hintOf: (item: Item) => string | undefined;
  readonly onChoose: (item: Item) => void;
  /** Why there are no items; empty if there are some. */
  readonly status: string;
}

/** A field with the entries that match what is typed, of which a person chooses one. */
export function SearchChoice<Item>(props: SearchChoiceProps<Item>) {
  const { label, text, onType, maxLength, items, keyOf, labelOf, hintOf, onChoose, status } = props;
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={items}
      value={text}
      // What is chosen does not stay in the field.
      onValueChange={(next, { reason }) => reason !== "item-press" && onType(next)}
      itemToStringValue={labelOf}
      autoHighlight="always"
      keepHighlight
    >
      <Autocomplete.Input
        className="input"
        data-first-focus
        maxLength={maxLength}
        aria-label={label}
        placeholder={label}
      />
      <Autocomplete.List className="field-list">
        {(item: Item) => {
          const hint = hintOf(item);
          return (
            <Autocomplete.Item
              key={keyOf(item)}
              value={item}
              className="menu-item"
              onClick={() => onChoose(item)}
            >
              <span className="menu-text" dir="auto">
                {labelOf(item)}
              </span>
              {hint !== undefined && <span className="hint">{hint}</span>}
            </Autocomplete.Item>
          );
        }}
      </Autocomplete.List>
      <Autocomplete.Status className="hint">{status}</Autocomplete.Status>
    </Autocomplete.Root>
  );
}
