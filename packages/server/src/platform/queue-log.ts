import { Logger } from 'graphile-worker';
import type { Log } from './log.ts';

/** Intended: workers hold a connection only while they take or finish a job, so fewer are enough. */
const EXPECTED_WARNING = /maxPoolSize .* smaller than concurrency/;

/** Writes the queue's messages to our log: errors and warnings as warnings, the rest as debug. */
export const queueLogger = (log: Log): Logger =>
  new Logger(() => (level, message) => {
    if (level === 'error' || (level === 'warning' && !EXPECTED_WARNING.test(message)))
      log.warn({ part: 'queue' }, message);
    else log.debug({ part: 'queue' }, message);
  });
