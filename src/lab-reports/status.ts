import type { z } from 'zod';
import type { ParsingJobStatus } from './schema.ts';

export type Status = z.output<typeof ParsingJobStatus>;

/**
 * The journey of a report that was handed in. A reading that is interrupted stays `started` until another worker
 * takes it up; after some tries it fails, so that nothing stays `started` for ever.
 */
// prettier-ignore
export const journey: { readonly [From in Status]: { readonly means: string; readonly next: readonly Status[] } } = {
  upload_pending: { means: 'handed in; waits to be read',               next: ['started'] },
  started:        { means: 'is being read',                             next: ['pending_review', 'completed', 'failed'] },
  pending_review: { means: 'was read; waits for a person',              next: ['completed'] },
  completed:      { means: 'was read, and reviewed where it had to be', next: [] },
  failed:         { means: 'cannot be read; failure_reason says why',   next: [] },
};

export const canMove = (from: Status, to: Status): boolean => journey[from].next.includes(to);
