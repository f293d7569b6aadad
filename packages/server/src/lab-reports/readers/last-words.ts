import type { Readable } from 'node:stream';

/** Why a process ended without an answer, as far as its output and its signal tell. */
export type CrashCause =
  /** It reached the limit of its own heap: so would any process with this file. */
  | 'own_limit'
  | 'processor_time'
  | 'unknown'
  /** The system refused it memory. */
  | 'memory_refused'
  /** The system killed it, as it does when the machine runs out of memory. */
  | 'killed';

/** The line of the log for the last two of these. */
export const MEMORY_SHORTAGE =
  'a reader process of a lab report was killed by the system or got no memory; it is tried again';

/** What V8 writes when its heap has reached `--max-old-space-size`, and only then. */
const OWN_LIMIT = /Reached heap limit|Ineffective mark-compacts near heap limit/;
/** What V8, C++, Rust, the loader of libraries and the shell write when they get no memory. */
const MEMORY_REFUSED =
  /allocation failed|out of memory|process OOM|javascript OOM|bad_alloc|memory allocation of \d+ bytes failed|cannot allocate|failed to map segment/i;
/** Longer than any of these texts, which may arrive in pieces. */
const CARRIED = 200;

/** Looks for these texts in the error output of a process; keeps only its last characters. */
export function watchLastWords(output: Readable): (signal: NodeJS.Signals | null) => CrashCause {
  let carried = '';
  let isOwnLimit = false;
  let isRefused = false;
  output.on('error', () => {});
  output.on('data', (piece: Buffer) => {
    const text = carried + piece.toString('latin1');
    isOwnLimit ||= OWN_LIMIT.test(text);
    isRefused ||= MEMORY_REFUSED.test(text);
    carried = text.slice(-CARRIED);
  });
  return (signal) => {
    if (isOwnLimit) return 'own_limit';
    if (isRefused) return 'memory_refused';
    if (signal === 'SIGKILL') return 'killed';
    // The limit of `ulimit -t`.
    return signal === 'SIGXCPU' ? 'processor_time' : 'unknown';
  };
}
