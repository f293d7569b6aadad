const MARKS = /\p{M}/gu;
const APOSTROPHES = /['’]/g;
const NOT_WORD = /[^\p{L}\p{N}]+/u;

/** The words of a text, folded: lower case, no diacritics, no punctuation; `&` is read as `and`. */
export function foldWords(text: string): string[] {
  const plain = text.normalize('NFD').replace(MARKS, '').replace(APOSTROPHES, '').replaceAll('&', ' and ');
  return plain
    .toLowerCase()
    .split(NOT_WORD)
    .filter((word) => word !== '');
}
