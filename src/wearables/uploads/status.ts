/** One row for each status: what may follow. A worker that is lost leaves an upload `reading`; another goes on. */
// prettier-ignore
export const UPLOAD_STATUSES = {
  received:  { next: ['reading'] },
  reading:   { next: ['completed', 'failed'] },
  completed: { next: [] },
  failed:    { next: [] },
} as const satisfies Readonly<Record<string, { next: readonly string[] }>>;
export type UploadStatus = keyof typeof UPLOAD_STATUSES;

export const canMove = (from: UploadStatus, to: UploadStatus): boolean =>
  UPLOAD_STATUSES[from].next.some((next) => next === to);
