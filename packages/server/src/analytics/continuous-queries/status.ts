/** The states of one evaluation. A started task that never ended is started again. */
export const TASK_STATUSES = ['scheduled', 'started', 'completed', 'error', 'skipped'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
