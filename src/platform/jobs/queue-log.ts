import { Logger } from 'graphile-worker';
import type { Log } from '../log.ts';

/** The queue's own messages in our log: its chatter is debug, its troubles are warnings. */
export const queueLogger = (log: Log): Logger =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ part: 'queue' }, message);
    else log.debug({ part: 'queue' }, message);
  });
