import type { Tx } from '../platform/db/database.ts';
import { later } from '../platform/clock.ts';
import { BLOCK_SPAN_MS, recordBlocks, type BlockRow } from './block-store.ts';
import { BLOCK_MAX, newBlockId, sealBlock } from './block.ts';
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

/** Parts what can be written in blocks from what cannot: what was taken at once, and is not a test, by endpoint and time. */
export function partBlocks(outcomes: readonly Outcome[]): Parted {
  const groups = new Map<string, Outcome[]>();
  const others: Outcome[] = [];
  for (const outcome of outcomes) {
    const { row, event } = outcome.claimed;
    if (outcome.status !== 'delivered' || row.attempts > 0 || event.test) {
      others.push(outcome);
      continue;
    }
    const name = `${row.endpoint_id}/${spanOf(outcome)}`;
    const group = groups.get(name);
    if (group && group.length < BLOCK_MAX) group.push(outcome);
    else groups.set(name, [outcome]);
  }
  const blocks: Outcome[][] = [];
  for (const group of groups.values()) {
    if (group.length >= BLOCK_FROM) blocks.push(group);
    else others.push(...group);
  }
  return { blocks, others };
}

const spanOf = ({ wall, claimed }: Outcome): number =>
  Math.floor(later(wall, claimed.row.clock_offset_ms).getTime() / BLOCK_SPAN_MS);

/** Writes blocks, all or none: throws `NotAsClaimed` when a message is no longer as it was taken. */
export async function writeBlocks(tx: Tx, blocks: Parted['blocks']): Promise<void> {
  const rows = blocks.map(rowOf);
  const removed = await recordBlocks(tx, rows);
  const expected = rows.reduce((sum, { messages }) => sum + messages.length, 0);
  if (removed < expected) throw new NotAsClaimed();
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
    messages: ended.map(({ claimed }) => ({ id: claimed.row.id, place: claimed.row.place })),
  };
}
