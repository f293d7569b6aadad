import { open, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import {
  detectFileKind,
  FileReport,
  importFile,
  loadTenantOfUser,
  type FileImport,
} from '../../wearables/wearables.ts';
import { formatTable, stripControlCharacters } from '../terminal/terminal.ts';
import { defineOperation, type OperationContext, type OperationOutput } from './operation.ts';
import { formatProgressBar, openProgress } from './wearables-progress.ts';

/** `path` is absolute, because the process that reads may have another working directory. */
const WearablesImport = z.object({ path: z.string(), user: z.string() });

const FAULTS_SHOWN = 20;

export const importWearables = defineOperation(WearablesImport, async (context, { path, user }) => {
  const file = await open(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  try {
    printReport(context.output, await runImport(context, file, user));
  } finally {
    await file.close();
  }
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function runImport(
  { app, output }: OperationContext,
  file: FileHandle,
  user: string,
): Promise<FileImport> {
  const kind = await detectFileKind(file);
  const tenant = UUID.test(user) ? await loadTenantOfUser(app, user) : undefined;
  if (!tenant) throw new Error(`There is no user ${stripControlCharacters(user)}.`);
  const report = new FileReport();
  let readings = 0;
  const check = () => (readings += 1);
  const bar = openProgress(output, () =>
    formatProgressBar(report.done, report.total, `${kind}, ${readings} readings`),
  );
  try {
    return await importFile(app, { tenant, userId: user.toLowerCase() }, { file, kind, report, check });
  } finally {
    bar.stop();
  }
}

function printReport(
  output: OperationOutput,
  { counts, skipped, faults, faultCount, broken }: FileImport,
): void {
  const rows = Object.entries(counts)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, { created, updated, unchanged }]) => [name, ...[created, updated, unchanged].map(String)]);
  output.out(
    rows.length === 0
      ? 'Nothing was stored.\n'
      : formatTable(['RESOURCE', 'NEW', 'CHANGED', 'UNCHANGED'], rows),
  );
  for (const [kind, count] of Object.entries(skipped))
    output.out(`skipped ${count}: ${stripControlCharacters(kind)}\n`);
  if (faultCount > 0) output.err(`${faultCount} rejected:\n`);
  for (const { place, reason } of faults.slice(0, FAULTS_SHOWN)) {
    output.err(`  ${stripControlCharacters(place)}: ${stripControlCharacters(reason)}\n`);
  }
  if (broken) {
    output.err(`The file could not be read to its end: ${stripControlCharacters(broken.message)}\n`);
    output.exitCode(1);
  }
}
