const MARKS = /\p{M}/gu;
const APOSTROPHES = /['’]/g;
const NOT_WORD = /[^\p{L}\p{N}]+/u;

/** Splits a text into normalized words: lower case, no diacritics, no punctuation; `&` becomes `and`. */
export function tokenize(text: string): string[] {
  const plain = text.normalize('NFD').replace(MARKS, '').replace(APOSTROPHES, '').replaceAll('&', ' and ');
  return plain
    .toLowerCase()
    .split(NOT_WORD)
    .filter((word) => word !== '');
}
