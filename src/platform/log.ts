import { pino, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines on standard output. Never give it a body, a key or a patient's field: ids are enough to find them. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    redact: ['req.headers.authorization', 'headers', '*.password', '*.secret', '*.key'],
  });
}
