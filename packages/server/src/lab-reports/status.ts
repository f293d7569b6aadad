import type { z } from 'zod';
import type { ParsingJobStatus } from './schema.ts';

export type ReportJobStatus = z.output<typeof ParsingJobStatus>;

/**
 * The state machine of a parsing job. An interrupted job stays `started` until another worker leases it; after too many
 * tries it fails, so no job stays `started` forever.
 */
// prettier-ignore
export const journey: { readonly [From in ReportJobStatus]: { readonly means: string; readonly next: readonly ReportJobStatus[] } } = {
  upload_pending: { means: 'uploaded; queued for reading',       next: ['started'] },
  started:        { means: 'being read',                         next: ['pending_review', 'completed', 'failed'] },
  pending_review: { means: 'read; waiting for a human review',   next: ['completed'] },
  completed:      { means: 'read, and reviewed if required',     next: [] },
  failed:         { means: 'cannot be read; see failure_reason', next: [] },
};

export const canMove = (from: ReportJobStatus, to: ReportJobStatus): boolean =>
  journey[from].next.includes(to);
