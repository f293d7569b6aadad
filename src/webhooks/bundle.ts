import { newId } from '../platform/ids.ts';
import { numbered } from './numbered-id.ts';

/** So many messages wait in one row at most: about as many as an endpoint is given at once. */
export const BUNDLE_MAX = 10;
/** Fewer than this are owed one by one. */
export const BUNDLE_FROM = 4;

/** Messages to one endpoint that were taken together, as the sender holds them. */
export interface Bundle {
  readonly id: string;
  /** Where its row is in the table, until somebody unpacks it. */
  readonly place: string;
  readonly size: number;
  /** This sender has unpacked it: each message has a row of its own and is leased by it. */
  unpacked: boolean;
}

export const newBundleId = (): string => numbered(newId(), 0);

/** The id of a message of a bundle; `number` counts from 1. `aliquot_bundled_id` does the same. */
export const bundledId = (bundleId: string, number: number): string => numbered(bundleId, number);

interface Leased {
  readonly id: string;
  readonly bundle: Bundle | undefined;
}

/** What is leased when a message is taken. A bundle's lease counts for its messages also after it was unpacked by somebody else. */
export const leaseOf = ({ id, bundle }: Leased): string => (bundle && !bundle.unpacked ? bundle.id : id);

/** The items by turns of `BUNDLE_MAX`, and what is left over when it is too little for a bundle. */
export function bundled<T>(items: readonly T[]): { bundles: T[][]; single: T[] } {
  const bundles: T[][] = [];
  let from = 0;
  for (; items.length - from >= BUNDLE_FROM; from += BUNDLE_MAX)
    bundles.push(items.slice(from, from + BUNDLE_MAX));
  return { bundles, single: items.slice(from) };
}
