/**
 * Compares the OpenAPI document that we serve with the reference contract.
 *   npm run contract -- FOLDER [--served FILE.json] [--list] [--decided] [--notes] [--only WORD] [--complete]
 * FOLDER holds api.json and management.json. Exits with 1 when a served operation breaks the contract.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareContract, type Comparison } from './compare.ts';
import { decisions, type Mismatch } from './decisions.ts';
import type { OpenApi } from './openapi.ts';

const CONTRACT_FILES = ['api.json', 'management.json'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    served: { type: 'string' }, // read this document instead of building ours
    list: { type: 'boolean', default: false }, // name the operations that are not served
    decided: { type: 'boolean', default: false }, // show what differs by decision
    notes: { type: 'boolean', default: false }, // show what breaks nobody
    only: { type: 'string', default: '' }, // show only operations with this word in them
    complete: { type: 'boolean', default: false }, // fail on an operation that is not served, too
  },
});

async function readJson(file: string): Promise<OpenApi> {
  const document: OpenApi = JSON.parse(await readFile(file, 'utf8'));
  return document;
}

/** Imported late, and by a name that the compiler does not follow: this tool also runs without the service. */
async function buildServed(): Promise<OpenApi> {
  const { buildOpenApi } = await import('../../src/build.ts');
  const document: unknown = await buildOpenApi(new URL('../../', import.meta.url));
  return document as OpenApi;
}

const line = ({ operation, place, expected, got }: Mismatch) =>
  `${operation}: ${place}: expected ${expected}, got ${got}`;

function* report(comparison: Comparison): Generator<string> {
  const about = <T extends Mismatch>(all: readonly T[]) => all.filter(({ operation }) => wanted(operation));
  if (flags.list) yield* comparison.notServed.filter(wanted).map((name) => `${name}: not served`);
  if (flags.decided) {
    for (const mismatch of about(comparison.decided)) {
      yield `${line(mismatch)} (differs by decision: ${mismatch.decision.reason})`;
    }
    const used = new Set(comparison.decided.map(({ decision }) => decision));
    yield* decisions
      .filter((decision) => !used.has(decision))
      .map(({ reason }) => `decision not met: ${reason}`);
  }
  if (flags.notes) yield* about(comparison.notes).map((note) => `note: ${line(note)}`);
  yield* about(comparison.mismatches).map(line);
  yield `served ${comparison.served} of ${comparison.total}`;
  yield (
    `${comparison.mismatches.length} mismatches, ${comparison.decided.length} differ by decision, ` +
    `${comparison.notes.length} notes`
  );
}

const wanted = (operation: string) => operation.toLowerCase().includes(flags.only.toLowerCase());

const folder = positionals[0];
if (folder === undefined) {
  console.error(
    'Usage: npm run contract -- FOLDER [--served FILE.json] [--list] [--decided] [--notes] [--only WORD]',
  );
  process.exit(2);
}
const contract = await Promise.all(CONTRACT_FILES.map((file) => readJson(join(folder, file))));
const served = flags.served === undefined ? await buildServed() : await readJson(flags.served);
const comparison = compareContract(served, contract);
for (const text of report(comparison)) console.log(text);
const incomplete = flags.complete && comparison.notServed.length > 0;
process.exitCode = comparison.mismatches.length > 0 || incomplete ? 1 : 0;
