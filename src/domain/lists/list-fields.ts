/** A field that lists sort and filter by, besides custom fields. */
export interface ListField {
  /** What it holds: integers, times in milliseconds since 1970, or text that is compared after `fold`. */
  readonly type: "number" | "time" | { readonly fold: (text: string) => string };
  /** Whether rows can lack it. They come last in its order. */
  readonly isOptional?: boolean;
}

/** The fields of a list by name. Every list has the field `id`. */
export type ListFields<Field extends string = string> = Readonly<Record<Field, ListField>>;
