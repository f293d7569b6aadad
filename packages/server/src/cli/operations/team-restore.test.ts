import { expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import { useTeamBackups } from '../../../test/team-backups.ts';
import { releaseOneTeam, restoreOneTeam } from './team-restore.ts';

const service = useTestService();
const { query, backUp, loseTeam } = useTeamBackups(service);

it('tells what it restored and holds, and lets go of it', async () => {
  const team = await service.team();
  const { teamId } = team.tenant;
  await query(
    `insert into timer (team_id, environment, job, key, due_at, due_wall, input)
     values ($1, 'sandbox', 'orders.request-requisition', 'o', '2027-01-01', '2027-01-01', $2)`,
    [teamId, JSON.stringify({ order_id: 'order-1' })],
  );
  const path = await backUp();
  await loseTeam(team);
  let told = '';
  const output = {
    isTerminal: false,
    isErrorTerminal: false,
    out: (text: string | Uint8Array) => void (told += String(text)),
    err: () => {},
    exitCode: () => {},
  };
  const context = { app: service.app, ownerPool: service.ownerPool, isInService: true, output };
  const wish = { scheduled: false, replace: false, dropLaterOrders: false, withoutRemovedMembers: false };
  const restore = (dryRun: boolean) =>
    restoreOneTeam.run(context, { file: path, path, teamId: teamId.toUpperCase(), dryRun, ...wish });
  await restore(true);
  expect(told).toMatch(/api_key +0 +1\n/);
  expect(told).toContain(`Would restore team ${teamId}: `);
  expect(told).toContain('Nothing was changed (--dry-run).');
  told = '';
  await restore(false);
  expect(told).toContain('1 orders whose transmission to a laboratory is held: order-1\n');
  expect(told).toMatch(
    /KIND +COUNT\norders\.request-requisition +1\nReview it, then let go of it: aliquot backup release-team/,
  );
  told = '';
  await releaseOneTeam.run(context, { teamId, kinds: [], dryRun: false });
  expect(told).toMatch(
    /orders\.request-requisition +1\nOrders whose transmission was held: order-1\nReleased\.\n/,
  );
  told = '';
  await releaseOneTeam.run(context, { teamId, kinds: [], dryRun: false });
  expect(told).toBe('Nothing of the team is held.\n');
});
