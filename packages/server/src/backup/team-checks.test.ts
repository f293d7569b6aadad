import { readFile, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { QUEUED_JOBS } from '../../test/queue-tables.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTeamBackups } from '../../test/team-backups.ts';
import { DAY, MINUTE } from '../platform/clock.ts';
import { openKeyring } from '../platform/crypto/keyring.ts';
import { fileSource, restoreTeam } from './backup.ts';

const service = useTestService();
const { query, backUp, restore, filledTeam, newOrder, loseTeam, rowsOf, othersThan } =
  useTeamBackups(service);

/** Expects a refusal that changes nothing. */
async function expectRefusal(team: TestTeam, told: RegExp, restoring: () => Promise<unknown>): Promise<void> {
  const [before, others] = [await rowsOf(team), await othersThan(team)];
  await expect(restoring()).rejects.toThrow(told);
  expect(await rowsOf(team)).toEqual(before);
  expect(await othersThan(team)).toEqual(others);
}

describe('the restore of one team is refused, and changes nothing,', () => {
  it('with another key, by another version, of another team and from a damaged file', async () => {
    const team = await service.team();
    const path = await backUp();
    await loseTeam(team);
    const keyring = openKeyring(service.app.db, Buffer.alloc(32, 9).toString('base64'));
    const request = {
      source: fileSource(path),
      teamId: team.tenant.teamId,
      replace: false,
      dropLaterOrders: false,
      withoutRemovedMembers: false,
      dryRun: false,
    };
    const { fingerprint } = service.app.keyring.provider;
    await expectRefusal(team, new RegExp(`it needs the key ${fingerprint}`), () =>
      restoreTeam({ ...service.app, keyring }, service.ownerPool, request),
    );
    const absent = randomUUID();
    await expectRefusal(team, new RegExp(`no team ${absent}[^]*${team.tenant.teamId} Test team`), () =>
      restoreTeam(service.app, service.ownerPool, { ...request, teamId: absent }),
    );
    const whole = await readFile(path);
    await writeFile(`${path}.cut`, whole.subarray(0, whole.length - 10));
    await expectRefusal(team, /truncated/, () => restore(`${path}.cut`, team));
    await query("update kysely_migration set name = '0001_other' where name like '0001%'");
    try {
      await expectRefusal(team, /another version: install that version.*0001_platform/, () =>
        restore(path, team),
      );
    } finally {
      await query("update kysely_migration set name = '0001_platform' where name like '0001%'");
    }
    expect(await restore(path, team)).toMatchObject({ files: 0 });
  });

  it('where a row refers to one of the house that is gone', async () => {
    const team = await service.team();
    const [lab] = await query<{ slug: string }>('select slug from lab limit 1');
    const account = randomUUID();
    await query(
      `insert into lab_account (id, org_id, environment, lab, status, delegated_flow, provider_account_id, allowed_billing, created_at, updated_at)
       values ($1, $2, 'sandbox', $3, 'active', 'order_delegated', 'x', '{}', now(), now())`,
      [account, team.orgId, lab?.slug],
    );
    await query("insert into lab_account_team values ($1, 'sandbox', $2, $3)", [
      team.tenant.teamId,
      account,
      team.orgId,
    ]);
    const path = await backUp();
    await loseTeam(team);
    await query('delete from lab_account where id = $1', [account]);
    await expectRefusal(team, new RegExp(`table lab_account_team: .* lab_account ${account}`), () =>
      restore(path, team),
    );
    expect(await query('select from lab_test where team_id = $1', [team.tenant.teamId])).toEqual([]);
  });

  it('where a row belongs to a member who was removed, unless it may be left out', async () => {
    const team = await service.team();
    const { teamId } = team.tenant;
    const member = randomUUID();
    await query(
      `insert into organization_member (id, org_id, email, name, role, team_ids, created_at)
       values ($1, $2, 'ada@clinic.example', 'Ada', 'org_admin', '{}', now())`,
      [member, team.orgId],
    );
    await query(
      `insert into saved_view (team_id, environment, id, owner_id, member_id, page, document, created_at, updated_at)
       values ($1, 'sandbox', gen_random_uuid(), $2, $2, 'users', '', now(), now())`,
      [teamId, member],
    );
    const path = await backUp();
    await loseTeam(team);
    await query('delete from organization_member where id = $1', [member]);
    await expectRefusal(team, new RegExp(`table saved_view: .*${member}.*--without-removed-members`), () =>
      restore(path, team),
    );
    expect(await restore(path, team, { withoutRemovedMembers: true })).toMatchObject({ leftOut: 1 });
    expect(await query('select from saved_view where team_id = $1', [teamId])).toEqual([]);
  });

  it('while a job of the team runs', async () => {
    const team = await service.team();
    const path = await backUp();
    await loseTeam(team);
    const payload = JSON.stringify({ team_id: team.tenant.teamId, environment: 'sandbox', input: {} });
    await query(
      "select graphile_worker.add_job('mail.carry', $1::json, run_at := now() + interval '1 day', flags := array[aliquot_tenant_flag($1::json)])",
      [payload],
    );
    await query(
      `update ${QUEUED_JOBS} set locked_at = now() + interval '1 hour', locked_by = 'x' where payload->>'team_id' = $1`,
      [team.tenant.teamId],
    );
    await expectRefusal(team, /Jobs of the team are running \(mail\.carry\)/, () => restore(path, team));
    expect(
      await query(`select from ${QUEUED_JOBS} where payload->>'team_id' = $1`, [team.tenant.teamId]),
    ).toHaveLength(1);
  });

  it('while another transaction keeps a table', async () => {
    const team = await service.team();
    const path = await backUp();
    await loseTeam(team);
    const worker = await service.ownerPool.connect();
    try {
      await worker.query('begin');
      await worker.query('lock table app_user in row exclusive mode');
      await expectRefusal(team, /keep the tables of the team: try again/, () =>
        restore(path, team, { lockTimeoutMs: 50 }),
      );
    } finally {
      worker.release(true);
    }
    expect(await restore(path, team)).toMatchObject({ files: 0 });
  });

  it('if orders were sent or results came since, unless they may be lost', async () => {
    const { team, userId } = await filledTeam();
    const path = await backUp();
    const later = await newOrder(team, userId);
    await team.post(`/v3/order/${later}/test?final_status=completed.walk_in_test.completed`);
    await service.settle();
    await expectRefusal(team, new RegExp(`1 orders .*\\(${later}\\) and 1 results`), () =>
      restore(path, team, { replace: true }),
    );
    const lost = await restore(path, team, { replace: true, dropLaterOrders: true });
    expect(lost).toMatchObject({ laterOrders: [later], laterResults: 1 });
    expect((await team.get(`/v3/order/${later}`)).status).toBe(404);
  });
});

describe('what the house ended after the backup', () => {
  it('stays ended: a revoked key, and a deleted user', async () => {
    const team = await service.team();
    const userId = await team.user();
    const keys = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
    const { id } = (await team.management.post(keys, { team_id: team.tenant.teamId, label: 'Leaked' })).json;
    const path = await backUp();
    await team.delete(`/v2/user/${userId}`);
    expect((await team.management.delete(`${keys}?api_key_id=${id}`)).status).toBe(200);
    const restored = await restore(path, team, { replace: true });
    expect(restored.keptEndings).toEqual({ api_key: 1, app_user: 1 });
    expect(await query('select from api_key where id = $1 and deleted_at is null', [id])).toEqual([]);
    const erasing = "select key from timer where team_id = $1 and job = 'users.erase'";
    expect(await query(erasing, [team.tenant.teamId])).toEqual([{ key: userId }]);
    expect((await team.get('/v2/user')).json).toMatchObject({ users: [], total: 0 });
  });

  it('stays erased: a user whose erasure is certified', async () => {
    const team = await service.team();
    const userId = await team.user();
    const path = await backUp();
    await team.delete(`/v2/user/${userId}`);
    service.clock.move(7 * DAY + MINUTE);
    await service.settle();
    expect(await query('select from app_user where id = $1', [userId])).toEqual([]);
    const restored = await restore(path, team, { replace: true });
    expect(restored.erasedAgain).toBe(1);
    expect((await team.get(`/v2/user/${userId}`)).status).toBe(404);
    expect((await team.get('/v2/user')).json).toMatchObject({ users: [], total: 0 });
    await service.settle();
    expect(await query('select from app_user where id = $1', [userId])).toEqual([]);
    expect(await query('select from event where user_id = $1', [userId])).toEqual([]);
    expect(await query('select from erasure_certificate where about_user = $1', [userId])).toHaveLength(1);
  });
});
