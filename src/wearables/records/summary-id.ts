import { v5 } from 'uuid';

/** What makes a summary the same one when it comes again. */
export interface SummaryName {
  readonly userId: string;
  readonly resource: string;
  readonly provider: string;
  readonly key: string;
}

/**
 * The id of a summary, made of its name: the same from whoever brings it, and known before it comes. Samples of a
 * workout name it by this. The user's id is one of a kind over all tenants, and so is this.
 */
export const summaryIdOf = ({ userId, resource, provider, key }: SummaryName): string =>
  v5(JSON.stringify([resource, provider, key]), userId);
