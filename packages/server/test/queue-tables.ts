/**
 * The private tables of graphile-worker, for tests that simulate what the queue does, such as a job of a dead process.
 * This is the only file that may name them. The public view `graphile_worker.jobs` shows everything except payloads.
 */
export const QUEUED_JOBS = 'graphile_worker._private_jobs';
export const JOB_QUEUES = 'graphile_worker._private_job_queues';
export const QUEUE_TASKS = 'graphile_worker._private_tasks';
