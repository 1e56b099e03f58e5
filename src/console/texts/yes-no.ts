// How people and spreadsheets write true and false, in the languages that imports read.

const yes =
  "true yes y on ja wahr oui vrai si sí verdadero sì vero waar sim verdadeiro tak prawda ano kyllä evet igen da ναι да так はい 是 예";
const no =
  "false no n off nein falsch non faux falso nee onwaar não nao nie fałsz ne nej nei ei hayır nem nu όχι нет ні いいえ 否 아니요";

/** True or false, by words in lower case. */
export const yesNoWords: ReadonlyMap<string, boolean> = new Map([
  ...yes.split(" ").map((word) => [word, true] as const),
  ...no.split(" ").map((word) => [word, false] as const),
]);
