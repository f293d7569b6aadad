import { describe, expect, it } from 'vitest';
import { ParsingJobStatus } from './schema.ts';
import { canMove, journey, type Status } from './status.ts';

const statuses = ParsingJobStatus.options;
const nextOf = (from: Status): readonly Status[] => journey[from].next;

/** Everything that can be reached from a status, itself included. */
function reached(from: Status): Set<Status> {
  const seen = new Set<Status>([from]);
  for (const status of seen) for (const next of nextOf(status)) seen.add(next);
  return seen;
}

describe('the journey of a parsing job', () => {
  it('can come to every status', () => {
    expect([...reached('upload_pending')].toSorted()).toEqual(statuses.toSorted());
  });

  it.each(statuses)('comes to an end from %s', (status) => {
    expect([...reached(status)].some((one) => nextOf(one).length === 0)).toBe(true);
  });

  it.each(statuses)('never comes back to %s', (status) => {
    expect(nextOf(status).some((next) => reached(next).has(status))).toBe(false);
  });

  it.each(['completed', 'failed'] as const)('stays %s', (status) => {
    expect(statuses.filter((to) => canMove(status, to))).toEqual([]);
  });
});
