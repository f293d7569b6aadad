/** The life of one evaluation. One that is started and does not end is started again. */
export const TASK_STATUSES = ['scheduled', 'started', 'completed', 'error', 'skipped'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
