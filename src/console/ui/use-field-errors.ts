import { useEffect, useRef, useState } from "react";
import { fieldErrors, RejectedKeyError } from "../lib/api.ts";
import { focusFirstError } from "./field.tsx";

type Errors = Readonly<Record<string, string>>;

/**
 * The errors of a form's fields, from the last check and from the last request. A field that was changed since the last submit
 * hides its error. When errors appear, the first field with one gets the focus.
 */
export function useFieldErrors(requestError: unknown, isPending: boolean) {
  const [checked, setChecked] = useState<Errors>({});
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());
  const form = useRef<HTMLFormElement>(null);
  const errors: Errors = { ...fieldErrors(requestError), ...checked };
  const isKeyRejected = requestError instanceof RejectedKeyError;
  const invalidFields = [...Object.keys(errors), ...(isKeyRejected ? ["key"] : [])].join();
  useEffect(() => {
    if (invalidFields !== "" && !isPending) focusFirstError(form.current);
  }, [invalidFields, isPending]);
  return {
    form,
    errorFor: (field: string) => (edited.has(field) ? undefined : errors[field]),
    /** Call when the person changes fields. */
    edit: (...fields: string[]) => setEdited(new Set([...edited, ...fields])),
    /** Call on submit, with the errors of a check before the request. */
    submit: (errors: Errors) => {
      setEdited(new Set());
      setChecked(errors);
    },
  };
}
