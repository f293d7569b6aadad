/** The upload state machine. A crashed worker leaves an upload in `reading`; another one resumes it. */
// prettier-ignore
export const UPLOAD_STATUSES = {
  received:  { next: ['reading'] },
  reading:   { next: ['completed', 'failed'] },
  completed: { next: [] },
  failed:    { next: [] },
} as const satisfies Readonly<Record<string, { next: readonly string[] }>>;
export type UploadStatus = keyof typeof UPLOAD_STATUSES;

export const canTransition = (from: UploadStatus, to: UploadStatus): boolean =>
  UPLOAD_STATUSES[from].next.some((next) => next === to);
