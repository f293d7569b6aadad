/**
 * Compares the OpenAPI and the AsyncAPI document that we serve with the reference contract.
 *   npm run contract -- FOLDER [--served FILE.json] [--events FILE.json] [--list] [--decided] [--notes] [--only WORD]
 *     [--complete]
 * FOLDER holds api.json and management.json. Exits with 1 when a served operation or an event breaks the contract.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareContract, type Comparison } from './compare.ts';
import { decisions, type Decision, type Mismatch } from './decisions.ts';
import { compareEvents, type AsyncApi, type WithWebhooks } from './events.ts';
import type { OpenApi } from './openapi.ts';

const CONTRACT_FILES = ['api.json', 'management.json'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    served: { type: 'string' }, // read this OpenAPI document instead of building ours
    events: { type: 'string' }, // read this AsyncAPI document instead of building ours
    list: { type: 'boolean', default: false }, // name the operations that are not served
    decided: { type: 'boolean', default: false }, // show what differs by decision
    notes: { type: 'boolean', default: false }, // show what breaks nobody
    only: { type: 'string', default: '' }, // show only operations with this word in them
    complete: { type: 'boolean', default: false }, // fail on an operation that is not served, too
  },
});

async function readJson<T>(file: string): Promise<T> {
  const document: T = JSON.parse(await readFile(file, 'utf8'));
  return document;
}

/** Imported late, and by a name that the compiler does not follow: this tool also runs without the service. */
async function buildServed(): Promise<OpenApi> {
  const { buildOpenApi } = await import('../../src/build.ts');
  const document: unknown = await buildOpenApi(new URL('../../', import.meta.url));
  return document as OpenApi;
}

async function buildEvents(): Promise<AsyncApi> {
  const { asyncApiOf } = await import('../../src/asyncapi.ts');
  const { aboutNobody, eventCatalog } = await import('../../src/event-catalog.ts');
  return asyncApiOf(eventCatalog, aboutNobody);
}

const line = ({ operation, place, expected, got }: Mismatch) =>
  `${operation}: ${place}: expected ${expected}, got ${got}`;

function* report(operations: Comparison, events: Comparison): Generator<string> {
  const all = <K extends 'notServed' | 'mismatches' | 'decided' | 'notes'>(kind: K) =>
    [operations, events].flatMap((comparison): readonly Comparison[K][number][] => comparison[kind]);
  const about = <T extends Mismatch>(found: readonly T[]) =>
    found.filter(({ operation }) => wanted(operation));
  const decided = all('decided');
  if (flags.list)
    yield* all('notServed')
      .filter(wanted)
      .map((name) => `${name}: not served`);
  if (flags.decided) yield* decidedLines(about(decided), new Set(decided.map(({ decision }) => decision)));
  if (flags.notes) yield* about(all('notes')).map((note) => `note: ${line(note)}`);
  yield* about(all('mismatches')).map(line);
  yield `served ${operations.served} of ${operations.total}`;
  yield `events ${events.served} of ${events.total}`;
  yield (
    `${all('mismatches').length} mismatches, ${decided.length} differ by decision, ` +
    `${all('notes').length} notes`
  );
}

function* decidedLines(found: Comparison['decided'], used: ReadonlySet<Decision>): Generator<string> {
  for (const mismatch of found) yield `${line(mismatch)} (differs by decision: ${mismatch.decision.reason})`;
  yield* decisions
    .filter((decision) => !used.has(decision))
    .map(({ reason }) => `decision not met: ${reason}`);
}

const wanted = (operation: string) => operation.toLowerCase().includes(flags.only.toLowerCase());

const folder = positionals[0];
if (folder === undefined) {
  console.error(
    'Usage: npm run contract -- FOLDER [--served FILE.json] [--events FILE.json] [--list] [--decided] [--notes] ' +
      '[--only WORD]',
  );
  process.exit(2);
}
const contract = await Promise.all(CONTRACT_FILES.map((file) => readJson<WithWebhooks>(join(folder, file))));
const served = flags.served === undefined ? await buildServed() : await readJson<OpenApi>(flags.served);
const said = flags.events === undefined ? await buildEvents() : await readJson<AsyncApi>(flags.events);
const operations = compareContract(served, contract);
const events = compareEvents(said, contract);
for (const text of report(operations, events)) console.log(text);
const broken = operations.mismatches.length + events.mismatches.length > 0;
const incomplete = flags.complete && operations.notServed.length + events.notServed.length > 0;
process.exitCode = broken || incomplete ? 1 : 0;
