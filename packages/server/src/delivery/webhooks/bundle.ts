import { newId } from '../../platform/ids.ts';
import { numberedId } from './numbered-id.ts';

/** The maximum number of messages in one row: about as many as an endpoint gets at once. */
export const BUNDLE_MAX = 10;
/** Fewer messages than this are enqueued individually. */
const BUNDLE_MIN = 4;

/** Messages to one endpoint that were claimed together, as the sender holds them. */
export interface MessageBundle {
  readonly id: string;
  /** The location (ctid) of its row, until it is unpacked. */
  readonly place: string;
  readonly size: number;
  /** Whether this sender has unpacked it: then each message has its own row and lease. */
  unpacked: boolean;
}

export const newBundleId = (): string => numberedId(newId(), 0);

/** The id of a message of a bundle; `number` starts at 1. `aliquot_bundled_id` does the same in SQL. */
export const bundledMessageId = (bundleId: string, number: number): string => numberedId(bundleId, number);

interface LeasedMessage {
  readonly id: string;
  readonly bundle: MessageBundle | undefined;
}

/**
 * The id that is leased for a message. A bundle's lease also covers its messages after another transaction unpacked it.
 */
export const leaseIdOf = ({ id, bundle }: LeasedMessage): string =>
  bundle && !bundle.unpacked ? bundle.id : id;

/** Groups items into bundles of at most `BUNDLE_MAX`; a remainder below `BUNDLE_MIN` stays single. */
export function groupIntoBundles<T>(items: readonly T[]): { bundles: T[][]; single: T[] } {
  const bundles: T[][] = [];
  let from = 0;
  for (; items.length - from >= BUNDLE_MIN; from += BUNDLE_MAX)
    bundles.push(items.slice(from, from + BUNDLE_MAX));
  return { bundles, single: items.slice(from) };
}
