/**
 * Compares the OpenAPI and AsyncAPI documents that the service serves with the reference contract.
 *   npm run contract -- FOLDER [--served FILE.json] [--events FILE.json] [--list] [--decided] [--notes] [--only WORD]
 *     [--complete]
 * FOLDER holds api.json and management.json. Exits with 1 if a served operation or event breaks the contract.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareContract, type ContractComparison } from './compare.ts';
import { decisions, type ContractDecision, type ContractMismatch } from './decisions.ts';
import { compareEvents, type AsyncApi, type OpenApiWithWebhooks } from './events.ts';
import type { OpenApi } from './openapi.ts';

const CONTRACT_FILES = ['api.json', 'management.json'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    served: { type: 'string' }, // read this OpenAPI document instead of building ours
    events: { type: 'string' }, // read this AsyncAPI document instead of building ours
    list: { type: 'boolean', default: false }, // list the operations that are not served
    decided: { type: 'boolean', default: false }, // show intended differences
    notes: { type: 'boolean', default: false }, // show harmless differences
    only: { type: 'string', default: '' }, // show only operations that contain this word
    complete: { type: 'boolean', default: false }, // also fail on operations that are not served
  },
});

async function readJson<T>(file: string): Promise<T> {
  const document: T = JSON.parse(await readFile(file, 'utf8'));
  return document;
}

/** Imported only when needed, because this tool also runs without the service. */
async function buildServed(): Promise<OpenApi> {
  const { buildOpenApi } = await import('../../packages/server/src/route-table.ts');
  const document: unknown = await buildOpenApi(new URL('../../packages/server/', import.meta.url));
  return document as OpenApi;
}

async function buildEvents(): Promise<AsyncApi> {
  const { buildAsyncApiDocument: asyncApiOf } = await import('../../packages/server/src/asyncapi.ts');
  const { userlessEventTypes: aboutNobody, eventCatalog } =
    await import('../../packages/server/src/event-catalog.ts');
  return asyncApiOf(eventCatalog, aboutNobody);
}

const describeMismatch = ({ operation, place, expected, got }: ContractMismatch) =>
  `${operation}: ${place}: expected ${expected}, got ${got}`;

function* reportLines(operations: ContractComparison, events: ContractComparison): Generator<string> {
  const all = <K extends 'notServed' | 'mismatches' | 'decided' | 'notes'>(kind: K) =>
    [operations, events].flatMap((comparison): readonly ContractComparison[K][number][] => comparison[kind]);
  const about = <T extends ContractMismatch>(found: readonly T[]) =>
    found.filter(({ operation }) => isWanted(operation));
  const decided = all('decided');
  if (flags.list)
    yield* all('notServed')
      .filter(isWanted)
      .map((name) => `${name}: not served`);
  if (flags.decided) yield* decidedLines(about(decided), new Set(decided.map(({ decision }) => decision)));
  if (flags.notes) yield* about(all('notes')).map((note) => `note: ${describeMismatch(note)}`);
  yield* about(all('mismatches')).map(describeMismatch);
  yield `served ${operations.served} of ${operations.total}`;
  yield `events ${events.served} of ${events.total}`;
  yield (
    `${all('mismatches').length} mismatches, ${decided.length} differ by decision, ` +
    `${all('notes').length} notes`
  );
}

function* decidedLines(
  found: ContractComparison['decided'],
  used: ReadonlySet<ContractDecision>,
): Generator<string> {
  for (const mismatch of found)
    yield `${describeMismatch(mismatch)} (differs by decision: ${mismatch.decision.reason})`;
  yield* decisions
    .filter((decision) => !used.has(decision))
    .map(({ reason }) => `unused decision: ${reason}`);
}

const isWanted = (operation: string) => operation.toLowerCase().includes(flags.only.toLowerCase());

const folder = positionals[0];
if (folder === undefined) {
  console.error(
    'Usage: npm run contract -- FOLDER [--served FILE.json] [--events FILE.json] [--list] [--decided] [--notes] ' +
      '[--only WORD] [--complete]',
  );
  process.exit(2);
}
const contract = await Promise.all(
  CONTRACT_FILES.map((file) => readJson<OpenApiWithWebhooks>(join(folder, file))),
);
const served = flags.served === undefined ? await buildServed() : await readJson<OpenApi>(flags.served);
const servedEvents =
  flags.events === undefined ? await buildEvents() : await readJson<AsyncApi>(flags.events);
const operations = compareContract(served, contract);
const events = compareEvents(servedEvents, contract);
for (const text of reportLines(operations, events)) console.log(text);
const broken = operations.mismatches.length + events.mismatches.length > 0;
const incomplete = flags.complete && operations.notServed.length + events.notServed.length > 0;
process.exitCode = broken || incomplete ? 1 : 0;
