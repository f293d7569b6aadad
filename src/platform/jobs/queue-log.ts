import { Logger } from 'graphile-worker';
import type { Log } from '../log.ts';

/** Its workers hold a connection while they take a job or end one, not while they do it, so fewer are enough. */
const MEANT = /maxPoolSize .* smaller than concurrency/;

/** The queue's own messages in our log: its chatter is debug, its troubles are warnings. */
export const queueLogger = (log: Log): Logger =>
  new Logger(() => (level, message) => {
    if (level === 'error' || (level === 'warning' && !MEANT.test(message)))
      log.warn({ part: 'queue' }, message);
    else log.debug({ part: 'queue' }, message);
  });
