import type { Tx } from '../platform/db/database.ts';
import { BLOCK_SPAN_MS, recordBlocks, type BlockRow, type Leaving } from './block-store.ts';
import { newBlockId, sealBlock } from './block.ts';
import type { Bundle } from './bundle.ts';
import type { Outcome } from './outcome.ts';

/** Fewer than this are written one by one: a block costs as much as a few attempts. */
export const BLOCK_FROM = 4;

/** Somebody has written, held or erased a message meanwhile; each has to be looked at by itself. */
export class NotAsClaimed extends Error {}

export interface Parted {
  /** Groups of attempts, each of one endpoint, that can be written as one. */
  readonly blocks: readonly (readonly Outcome[])[];
  readonly others: readonly Outcome[];
}

/**
 * Parts what can be written in blocks from what cannot: what was taken at once, and is not a test, by endpoint and time.
 * A bundle goes whole or message by message.
 */
export function partBlocks(outcomes: readonly Outcome[]): Parted {
  /** By endpoint, then by span. */
  const groups = new Map<string, Map<number, Outcome[]>>();
  const others: Outcome[] = [];
  const whole = wholeBundles(outcomes);
  for (const outcome of outcomes) {
    const { row } = outcome.claimed;
    if (!inNumbers(outcome) || (row.bundle && !whole.has(row.bundle))) {
      others.push(outcome);
      continue;
    }
    const ofEndpoint = groups.get(row.endpoint_id) ?? new Map<number, Outcome[]>();
    if (ofEndpoint.size === 0) groups.set(row.endpoint_id, ofEndpoint);
    const span = spanOf(outcome);
    const group = ofEndpoint.get(span);
    if (group) group.push(outcome);
    else ofEndpoint.set(span, [outcome]);
  }
  const blocks: Outcome[][] = [];
  for (const ofEndpoint of groups.values()) {
    for (const group of ofEndpoint.values()) {
      if (group.length >= BLOCK_FROM) blocks.push(group);
      else others.push(...group);
    }
  }
  return { blocks, others };
}

const inNumbers = ({ status, claimed: { row, event } }: Outcome): boolean =>
  status === 'delivered' && row.attempts === 0 && !event.test;

/** Bundles all of whose messages are here, and belong into one block. */
function wholeBundles(outcomes: readonly Outcome[]): ReadonlySet<Bundle> {
  const left = new Map<Bundle, { count: number; readonly span: number }>();
  const whole = new Set<Bundle>();
  for (const outcome of outcomes) {
    const { bundle } = outcome.claimed.row;
    if (!bundle || bundle.unpacked || !inNumbers(outcome)) continue;
    const span = spanOf(outcome);
    const so = left.get(bundle) ?? { count: bundle.size, span };
    if (so.count === bundle.size) left.set(bundle, so);
    if (so.span === span) so.count -= 1;
    if (so.count === 0) whole.add(bundle);
  }
  return whole;
}

/** Which stretch of the tenant's time an attempt is counted in. */
const spanOf = ({ wall, claimed }: Outcome): number =>
  Math.floor((wall.getTime() + claimed.row.clock_offset_ms) / BLOCK_SPAN_MS);

/** Writes blocks, all or none: throws `NotAsClaimed` when a message is no longer as it was taken. */
export async function writeBlocks(tx: Tx, blocks: Parted['blocks']): Promise<void> {
  const leaving = leavingOf(blocks);
  const removed = await recordBlocks(tx, blocks.map(rowOf), leaving);
  if (removed < leaving.messages.length + leaving.bundles.length) throw new NotAsClaimed();
}

function leavingOf(blocks: Parted['blocks']): Leaving {
  const messages: Leaving['messages'][number][] = [];
  const bundles = new Set<Bundle>();
  for (const block of blocks) {
    for (const { row } of block.map(({ claimed }) => claimed)) {
      if (row.bundle) bundles.add(row.bundle);
      else messages.push({ id: row.id, place: row.place });
    }
  }
  return { messages, bundles: [...bundles] };
}

function rowOf(group: readonly Outcome[]): BlockRow {
  const ended = group.toSorted((a, b) => a.wall.getTime() - b.wall.getTime());
  const [first] = ended;
  const last = ended.at(-1);
  if (!first || !last) throw new Error('A block of nothing');
  const { row, cipher } = first.claimed;
  const counts = new Map<string, number>();
  for (const { claimed } of ended) counts.set(claimed.event.type, (counts.get(claimed.event.type) ?? 0) + 1);
  return {
    teamId: row.team_id,
    environment: row.environment,
    id: newBlockId(),
    endpointId: row.endpoint_id,
    firstWall: first.wall,
    lastWall: last.wall,
    eventIds: ended.map(({ claimed }) => claimed.row.event_id),
    attempts: sealBlock(cipher, ended),
    counts,
  };
}
