import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { watchLastWords } from './last-words.ts';

/** What a process with this error output, in pieces, and this signal died of. */
function causeOf(pieces: readonly string[], signal: NodeJS.Signals | null): string {
  const output = new PassThrough();
  const cause = watchLastWords(output);
  for (const piece of pieces) output.emit('data', Buffer.from(piece));
  return cause(signal);
}

const heap = (text: string) => `FATAL ERROR: ${text} Allocation failed - JavaScript heap out of memory\n`;

// prettier-ignore
const deaths: [string, NodeJS.Signals | null, string][] = [
  [heap('Reached heap limit'),                                                            'SIGABRT', 'own_limit'],
  [heap('Ineffective mark-compacts near heap limit'),                                     'SIGABRT', 'own_limit'],
  [heap('Committing semi space failed.'),                                                 'SIGABRT', 'memory_refused'],
  [heap('CALL_AND_RETRY_LAST'),                                                           'SIGABRT', 'memory_refused'],
  ['FATAL ERROR: Zone Allocation failed - process out of memory',                         'SIGABRT', 'memory_refused'],
  ["terminate called after throwing an instance of 'std::bad_alloc'",                     'SIGABRT', 'memory_refused'],
  ['memory allocation of 160 bytes failed',                                               'SIGABRT', 'memory_refused'],
  ['# Fatal process OOM in Failed to reserve virtual memory for CodeRange',               'SIGTRAP', 'memory_refused'],
  ['# Fatal javascript OOM in MemoryChunk allocation failed during deserialization.',     'SIGTRAP', 'memory_refused'],
  ['RangeError: WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory',   null,      'memory_refused'],
  ['RangeError: Array buffer allocation failed',                                          null,      'memory_refused'],
  ['',                                                                                    'SIGKILL', 'killed'],
  ['',                                                                                    'SIGXCPU', 'processor_time'],
  ['',                                                                                    'SIGABRT', 'unknown'],
  ['',                                                                                    'SIGSEGV', 'unknown'],
  ['Error: Cannot find native binding.',                                                  null,      'unknown'],
];

it.each(deaths)('%j with %s', (text, signal, cause) => {
  expect(causeOf([text], signal)).toBe(cause);
});

it('texts are found when they arrive in pieces, after much other output', () => {
  const text = heap('Reached heap limit');
  expect(causeOf(['x'.repeat(5000), text.slice(0, 20), text.slice(20)], 'SIGABRT')).toBe('own_limit');
});
