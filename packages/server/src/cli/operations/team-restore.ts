import { z } from 'zod';
import {
  describeKey,
  fileSource,
  findBackup,
  listIds,
  releaseTeam,
  restoreTeam,
  type RestoredTeam,
} from '../../backup/backup.ts';
import { formatTable } from '../terminal/terminal.ts';
import { defineOperation, type OperationOutput } from './operation.ts';

/** `path` is absolute, because the process that reads may have another working directory. `file` is how it was given. */
const TeamRestore = z.object({
  file: z.string(),
  path: z.string(),
  scheduled: z.boolean(),
  teamId: z.guid(),
  dryRun: z.boolean(),
  replace: z.boolean(),
  dropLaterOrders: z.boolean(),
  withoutRemovedMembers: z.boolean(),
});

export const restoreOneTeam = defineOperation(TeamRestore, async ({ app, ownerPool, output }, input) => {
  await app.keyring.check();
  const { file, path, scheduled, ...wish } = input;
  const source = scheduled ? (await findBackup(app.backupStorage, file)).source : fileSource(path);
  const teamId = wish.teamId.toLowerCase();
  const restored = await restoreTeam(app, ownerPool, { ...wish, teamId, source });
  printRestored(output, teamId, { restored, dryRun: wish.dryRun });
});

function printRestored(
  output: OperationOutput,
  teamId: string,
  { restored, dryRun }: { restored: RestoredTeam; dryRun: boolean },
): void {
  const { header, tables, files } = restored;
  const rows = tables.map(({ table, deleted, written }) => [table, String(deleted), String(written)]);
  output.out(formatTable(['TABLE', 'DELETED', 'WRITTEN'], rows));
  const written = tables.reduce((sum, one) => sum + one.written, 0);
  output.out(
    `\n${dryRun ? 'Would restore' : 'Restored'} team ${teamId}: ${written} rows and ${files} files, as of ${header.madeAt}\n` +
      `Opened with ${describeKey(header)}\n`,
  );
  for (const line of describeLosses(restored)) output.out(`${line}\n`);
  if (restored.held.length > 0) {
    output.out('\nHeld, because it would send something out of this installation:\n');
    output.out(
      formatTable(
        ['KIND', 'COUNT'],
        restored.held.map(({ kind, count }) => [kind, String(count)]),
      ),
    );
    output.out(`Review it, then let go of it: aliquot backup release-team ${teamId}\n`);
  }
  if (dryRun) output.out('\nNothing was changed (--dry-run).\n');
}

/** What an operator has to know, because it is gone or waits for a decision. */
function describeLosses(restored: RestoredTeam): string[] {
  const { keptEndings, laterOrders, heldOrders } = restored;
  const lines: [number, string][] = [
    [restored.jobsRemoved, 'queued jobs of the team removed from the queue'],
    [
      restored.failedMessages,
      'webhook messages that were waiting are failed now; replay those that are needed',
    ],
    [
      restored.unhandledEvents,
      'events were not passed on yet when the backup was made; nothing reacts to them',
    ],
    [restored.leftOut, 'rows of members who were removed after the backup are left out'],
    [restored.erasedAgain, 'users were erased after the backup; they stay hidden and are erased again'],
    [
      laterOrders.length,
      `orders were sent to a laboratory after the backup, which is lost: ${listIds(laterOrders)}`,
    ],
    [restored.laterResults, 'results came in after the backup and are lost'],
    ...Object.entries(keptEndings).map(([table, count]): [number, string] => [
      count,
      `rows of ${table} were ended after the backup and stay so`,
    ]),
    [heldOrders.length, `orders whose transmission to a laboratory is held: ${heldOrders.join(', ')}`],
  ];
  return lines.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
}

const TeamRelease = z.object({ teamId: z.guid(), kinds: z.array(z.string()), dryRun: z.boolean() });

export const releaseOneTeam = defineOperation(TeamRelease, async ({ app, ownerPool, output }, input) => {
  const { released, orders } = await releaseTeam(app, ownerPool, {
    ...input,
    teamId: input.teamId.toLowerCase(),
  });
  if (released.length === 0) return output.out('Nothing of the team is held.\n');
  output.out(
    formatTable(
      ['KIND', 'COUNT'],
      released.map(({ kind, count }) => [kind, String(count)]),
    ),
  );
  if (orders.length > 0) output.out(`Orders whose transmission was held: ${orders.join(', ')}\n`);
  output.out(input.dryRun ? 'Nothing was changed (--dry-run).\n' : 'Released.\n');
});
