import { createRequire } from 'node:module';
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

interface LogOutput {
  readonly format?: 'json' | 'pretty' | undefined;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
  /** Fields that are added to every line: the trace of the running request or job. */
  readonly traceFields?: (() => object) | undefined;
  /** Gets every line, too: the exporter of logs. */
  readonly copyLine?: ((line: string) => void) | undefined;
}

/**
 * Lines on standard output: JSON, or for people. Never log a body, a key or a patient's data: log ids instead.
 */
export function openLog(level: string, given: LogOutput = {}): Log {
  const { format = 'json', destination, traceFields, copyLine } = given;
  const options = {
    level,
    base: null,
    redact: ['req.headers.authorization', 'headers', '*.password', '*.secret', '*.key'],
    formatters: { level: (label: string) => ({ level: label }) },
    ...(traceFields && { mixin: traceFields }),
  };
  const own = destination ?? (format === 'pretty' ? openPretty() : undefined);
  const output = copyLine ? copyTo(own ?? pino.destination(1), copyLine) : own;
  return output ? pino(options, output) : pino(options);
}

const copyTo = (output: DestinationStream, copyLine: (line: string) => void): DestinationStream => ({
  write: (line) => {
    output.write(line);
    copyLine(line);
  },
});

/** Loaded on demand: a service whose output is collected does not need it. */
function openPretty(): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream;
  return pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true });
}

/** The format that was configured; otherwise that for the reader of the output. */
export const logFormat = ({ LOG_FORMAT }: { readonly LOG_FORMAT?: 'json' | 'pretty' | undefined }) =>
  LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json');
