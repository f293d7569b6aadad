import type { Kysely } from 'kysely';

/**
 * The tables. Each module declares its own (`declare module` in its table.ts), so that a table is in the folder that
 * owns it.
 */
export interface Database {}

/** The only database handle inside a work: a transaction. */
export type Tx = Kysely<Database>;
