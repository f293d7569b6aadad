import { describe, expect, it } from 'vitest';
import { ParsingJobStatus } from './schema.ts';
import { canMove, journey, type ReportJobStatus } from './status.ts';

const statuses = ParsingJobStatus.options;
const nextOf = (from: ReportJobStatus): readonly ReportJobStatus[] => journey[from].next;

/** All statuses that can be reached from a status, including itself. */
function reached(from: ReportJobStatus): Set<ReportJobStatus> {
  const seen = new Set<ReportJobStatus>([from]);
  for (const status of seen) for (const next of nextOf(status)) seen.add(next);
  return seen;
}

describe('the state machine of a parsing job', () => {
  it('can reach every status', () => {
    expect([...reached('upload_pending')].toSorted()).toEqual(statuses.toSorted());
  });

  it.each(statuses)('can reach a final status from %s', (status) => {
    expect([...reached(status)].some((one) => nextOf(one).length === 0)).toBe(true);
  });

  it.each(statuses)('never returns to %s', (status) => {
    expect(nextOf(status).some((next) => reached(next).has(status))).toBe(false);
  });

  it.each(['completed', 'failed'] as const)('stays %s', (status) => {
    expect(statuses.filter((to) => canMove(status, to))).toEqual([]);
  });
});
