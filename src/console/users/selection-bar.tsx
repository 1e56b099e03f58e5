import type { User } from "../../client/index.ts";

interface SelectionBarProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  readonly onClear: () => void;
}

export default function SelectionBar(_: SelectionBarProps) {
  return null;
}
