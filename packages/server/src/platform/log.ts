import { pino, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines on standard output. Never log a body, a key or a patient's data: log ids instead. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    redact: ['req.headers.authorization', 'headers', '*.password', '*.secret', '*.key'],
  });
}
