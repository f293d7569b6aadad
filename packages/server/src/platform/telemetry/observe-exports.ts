import type { Log } from '../log.ts';
import { outsideOfSpans } from './trace-context.ts';

/** What the exporters of all signals have in common. `code` 0 is success. */
interface SignalExporter<T> {
  export(items: T, done: (result: { code: number; error?: Error }) => void): void;
}

/** Where failures are logged: known later than the exporters are, since the log has one itself. */
export interface FailureLog {
  log?: Log;
}

/**
 * Logs when exporting a signal begins to fail and when it works again: one line each, and not one a batch. What could
 * not be sent is lost. Also keeps the requests of the exporter from becoming spans, which would be exported, too.
 */
export function observeExports<T, E extends SignalExporter<T>>(
  exporter: E,
  { signal, failures }: { signal: string; failures: FailureLog },
): E {
  const send = exporter.export.bind(exporter);
  let isFailing = false;
  exporter.export = (items, done) =>
    outsideOfSpans(() =>
      send(items, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed !== isFailing) logChange(failures, { signal, error: result.error, hasFailed });
        isFailing = hasFailed;
        done(result);
      }),
    );
  return exporter;
}

function logChange(
  { log }: FailureLog,
  { signal, error, hasFailed }: { signal: string; error: Error | undefined; hasFailed: boolean },
): void {
  if (hasFailed)
    log?.warn({ signal, err: describe(error) }, 'exporting by OTLP fails; what is not sent is lost');
  else log?.warn({ signal }, 'exporting by OTLP works again');
}

/** Without the body of a response. */
function describe(error: Error | undefined): string {
  if (!error) return 'unknown';
  const code = 'code' in error && error.code !== undefined ? ` (${String(error.code)})` : '';
  return `${error.message}${code}`;
}
