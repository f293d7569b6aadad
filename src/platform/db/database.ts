import type { Kysely } from 'kysely';

/**
 * The tables, each declared by the slice that owns it (`declare module` in its table.ts),
 * so that a table stands in one folder with the story it belongs to.
 */
export interface Database {}

/** The one handle on the database inside a piece of work: a transaction. */
export type Tx = Kysely<Database>;
