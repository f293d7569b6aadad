import type { Tx } from '../../platform/db/database.ts';
import { BLOCK_SPAN_MS, recordBlocks, type AttemptBlockRow, type DequeuedRows } from './block-store.ts';
import { newBlockId, sealBlock } from './block.ts';
import type { MessageBundle } from './bundle.ts';
import type { AttemptOutcome } from './outcome.ts';

/** Fewer attempts than this are stored individually: a block costs as much as a few attempts. */
const BLOCK_MIN = 4;

/** Another transaction has written, held or erased a message meanwhile, so each must be recorded individually. */
export class StaleClaimError extends Error {}

export interface BlockPartition {
  /** Groups of attempts of one endpoint that can be stored as one. */
  readonly blocks: readonly (readonly AttemptOutcome[])[];
  readonly others: readonly AttemptOutcome[];
}

/**
 * Separates outcomes that can be stored in blocks, by endpoint and time: deliveries that succeeded at the first attempt
 * and are not tests. A bundle is either stored whole or message by message.
 */
export function partitionBlocks(outcomes: readonly AttemptOutcome[]): BlockPartition {
  /** By endpoint, then by time span. */
  const groups = new Map<string, Map<number, AttemptOutcome[]>>();
  const others: AttemptOutcome[] = [];
  const whole = wholeBundles(outcomes);
  for (const outcome of outcomes) {
    const { row } = outcome.claimed;
    if (!isBlockable(outcome) || (row.bundle && !whole.has(row.bundle))) {
      others.push(outcome);
      continue;
    }
    const ofEndpoint = groups.get(row.endpoint_id) ?? new Map<number, AttemptOutcome[]>();
    if (ofEndpoint.size === 0) groups.set(row.endpoint_id, ofEndpoint);
    const span = spanOf(outcome);
    const group = ofEndpoint.get(span);
    if (group) group.push(outcome);
    else ofEndpoint.set(span, [outcome]);
  }
  const blocks: AttemptOutcome[][] = [];
  for (const ofEndpoint of groups.values()) {
    for (const group of ofEndpoint.values()) {
      if (group.length >= BLOCK_MIN) blocks.push(group);
      else others.push(...group);
    }
  }
  return { blocks, others };
}

const isBlockable = ({ status, claimed: { row, event } }: AttemptOutcome): boolean =>
  status === 'delivered' && row.attempts === 0 && !event.test;

/** Bundles whose messages are all present and in the same time span. */
function wholeBundles(outcomes: readonly AttemptOutcome[]): ReadonlySet<MessageBundle> {
  const left = new Map<MessageBundle, { count: number; readonly span: number }>();
  const whole = new Set<MessageBundle>();
  for (const outcome of outcomes) {
    const { bundle } = outcome.claimed.row;
    if (!bundle || bundle.unpacked || !isBlockable(outcome)) continue;
    const span = spanOf(outcome);
    const so = left.get(bundle) ?? { count: bundle.size, span };
    if (so.count === bundle.size) left.set(bundle, so);
    if (so.span === span) so.count -= 1;
    if (so.count === 0) whole.add(bundle);
  }
  return whole;
}

/** The time span, in tenant time, in which an attempt is counted. */
const spanOf = ({ endedAt, claimed }: AttemptOutcome): number =>
  Math.floor((endedAt.getTime() + claimed.row.clock_offset_ms) / BLOCK_SPAN_MS);

/** Writes all blocks or none: throws `StaleClaimError` when a message has changed since it was claimed. */
export async function writeBlocks(tx: Tx, blocks: BlockPartition['blocks']): Promise<void> {
  const leaving = dequeuedRowsOf(blocks);
  const removed = await recordBlocks(tx, blocks.map(toBlockRow), leaving);
  if (removed < leaving.messages.length + leaving.bundles.length) throw new StaleClaimError();
}

function dequeuedRowsOf(blocks: BlockPartition['blocks']): DequeuedRows {
  const messages: DequeuedRows['messages'][number][] = [];
  const bundles = new Set<MessageBundle>();
  for (const block of blocks) {
    for (const { row } of block.map(({ claimed }) => claimed)) {
      if (row.bundle) bundles.add(row.bundle);
      else messages.push({ id: row.id, place: row.place });
    }
  }
  return { messages, bundles: [...bundles] };
}

function toBlockRow(group: readonly AttemptOutcome[]): AttemptBlockRow {
  const ended = group.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime());
  const [first] = ended;
  const last = ended.at(-1);
  if (!first || !last) throw new Error('A block must have at least one attempt');
  const { row, cipher } = first.claimed;
  const counts = new Map<string, number>();
  for (const { claimed } of ended) counts.set(claimed.event.type, (counts.get(claimed.event.type) ?? 0) + 1);
  return {
    teamId: row.team_id,
    environment: row.environment,
    id: newBlockId(),
    endpointId: row.endpoint_id,
    firstSystemTime: first.endedAt,
    lastSystemTime: last.endedAt,
    eventIds: ended.map(({ claimed }) => claimed.row.event_id),
    attempts: sealBlock(cipher, ended),
    counts,
  };
}
