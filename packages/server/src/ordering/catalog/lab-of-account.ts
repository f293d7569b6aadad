import type { Work } from '../../platform/work.ts';

/**
 * Returns the slug of the laboratory that a lab account belongs to; 404 if there is no such account. Lab accounts know
 * the catalog, so compose.ts passes this in.
 */
export type FindLabOfAccount = (work: Work, labAccountId: string) => Promise<string>;
