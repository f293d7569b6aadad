/** What PostgreSQL cannot keep in a text: a NUL, and half of a surrogate pair. No field of the interface means one. */
export const UNFIT_TEXT = /[\0\p{Cs}]/u;
