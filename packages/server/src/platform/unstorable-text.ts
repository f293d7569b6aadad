/** Characters that PostgreSQL cannot store in text: NUL and unpaired surrogates. No field of the API needs them. */
export const UNSTORABLE_TEXT = /[\0\p{Cs}]/u;
