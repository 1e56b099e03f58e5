import { type ComponentProps, type KeyboardEvent, useId, useState } from "react";
import { uniqueKeys } from "../lib/unique-keys.ts";
import { values as texts } from "../texts/index.ts";
import { Field } from "../ui/field.tsx";
import { X } from "../ui/icons.ts";
import { Suggestions } from "../ui/select.tsx";

interface TagsFieldProps extends Omit<ComponentProps<typeof Field>, "children" | "frame"> {
  /** What the tags are, in the labels of buttons. */
  readonly name: string;
  readonly tags: readonly string[];
  /** Suggested tags. */
  readonly options?: readonly string[];
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly onChange: (tags: readonly string[]) => void;
}

const SEPARATOR = /[,;\n\t]/;

/** A list of texts. Enter or a comma ends a tag, and Backspace removes the last one. */
export function TagsField(props: TagsFieldProps) {
  const { name, tags, options = [], required = false, readOnly = false, onChange, ...field } = props;
  const list = useId();
  /** The tag that is being typed. It is already the last one of `tags`, so that a save has it. */
  const [typed, setTyped] = useState("");
  const isTyping = typed.trim() !== "" && tags.at(-1) === typed.trim();
  const done = isTyping ? tags.slice(0, -1) : tags;
  const keys = uniqueKeys(done);

  const type = (text: string) => {
    const parts = text.split(SEPARATOR);
    const rest = parts.pop() ?? "";
    const next = [...done, ...parts.map((part) => part.trim()).filter((part) => part !== "")];
    setTyped(rest);
    onChange(rest.trim() === "" ? next : [...next, rest.trim()]);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && isTyping && !event.ctrlKey && !event.metaKey) {
      // Not a submit of the form.
      event.preventDefault();
      setTyped("");
    } else if (event.key === "Backspace" && typed === "" && done.length > 0) {
      event.preventDefault();
      onChange(done.slice(0, -1));
    }
  };
  const hint = done.length === 0 ? (readOnly ? texts.notSet : texts.addTags) : undefined;
  return (
    <Field
      {...field}
      frame={(control) => (
        <div className="input tags" data-readonly={readOnly || undefined}>
          {done.length > 0 && (
            <ul className="tag-list" aria-label={texts.tags(name)}>
              {done.map((tag, index) => (
                <li key={keys[index]} className="tag">
                  <span dir="auto">{tag}</span>
                  {!readOnly && (
                    <button
                      type="button"
                      aria-label={texts.removeTag(tag)}
                      onClick={() => onChange(tags.filter((_, other) => other !== index))}
                    >
                      <X aria-hidden />
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          {control}
          <Suggestions id={list} values={options.filter((option) => !tags.includes(option))} />
        </div>
      )}
    >
      <input
        list={list}
        autoComplete="off"
        required={required}
        readOnly={readOnly}
        placeholder={hint}
        value={isTyping || typed.trim() === "" ? typed : ""}
        onChange={({ target }) => type(target.value)}
        onKeyDown={press}
        onBlur={() => setTyped("")}
      />
    </Field>
  );
}
