import { describe, expect, it } from 'vitest';
import { address, patient } from '../../test/examples.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTeamBackups } from '../../test/team-backups.ts';
import { useWebhookFixture } from '../../test/webhook-fixture.ts';
import { fetchFile, keepFile } from '../lab-reports/files.ts';
import { asSystem } from '../platform/db/transact.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);
const { query, backUp, restore, filledTeam, othersThan, rowsOf, loseTeam, auditFaults, log } =
  useTeamBackups(service);

describe('the restore of one team', () => {
  it('brings back everything of a team that was lost, and touches no other', async () => {
    const { team, userId, orderId } = await filledTeam();
    const other = await filledTeam();
    const bytes = Buffer.from('a report '.repeat(1000));
    const file = await keepFile(
      service.app,
      team.tenant,
      (async function* () {
        yield bytes;
      })(),
    );
    const path = await backUp();
    const [before, read] = [await rowsOf(team), (await team.get(`/v3/order/${orderId}/result`)).text];
    await service.app.fileStorage.remove((await listStoredKeys(team))[0] ?? '');
    await loseTeam(team, ['tenant_key', 'event_log_head']);
    service.app.keyring.invalidate(team.tenant);
    const others = await othersThan(team);

    const restored = await restore(path, team);
    expect(restored.tables.find(({ table }) => table === 'app_user')).toEqual({
      table: 'app_user',
      deleted: 0,
      written: 1,
    });
    expect(await rowsOf(team)).toEqual(before);
    expect(await othersThan(team)).toEqual(others);
    expect((await team.get(`/v2/user/${userId}`)).status).toBe(200);
    expect((await team.get(`/v3/order/${orderId}/result`)).text).toBe(read);
    expect((await fetchFile(service.app, team.tenant, file)).equals(bytes)).toBe(true);
    expect((await other.team.get(`/v2/user/${other.userId}`)).status).toBe(200);
    expect(await auditFaults(team)).toEqual([]);
    const [entry] = (await team.management.get(`/v1/org/${team.orgId}/audit_log?action=team.restored`)).json
      .data;
    expect(entry).toMatchObject({ actor: 'operator', subject: team.tenant.teamId });
    expect(entry.after.rows_written).toBeGreaterThan(20);
    // It goes on from there.
    expect((await team.post('/v2/user', { client_user_id: 'after' })).status).toBe(200);
  });

  it('replaces a damaged team', async () => {
    const { team, userId } = await filledTeam();
    const path = await backUp();
    const before = await rowsOf(team);
    await query('update app_user set client_user_id = $2 where team_id = $1', [
      team.tenant.teamId,
      'damaged',
    ]);
    await query('delete from user_info where team_id = $1', [team.tenant.teamId]);
    await expect(restore(path, team)).rejects.toThrow(/rows of the team: .*1 of app_user.*--replace/);
    const others = await othersThan(team);
    await restore(path, team, { replace: true });
    expect(await rowsOf(team)).toEqual(before);
    expect(await othersThan(team)).toEqual(others);
    expect((await team.get(`/v2/user/${userId}/info/latest`)).json.first_name).toBe(patient.first_name);
    expect(await auditFaults(team)).toEqual([]);
  });

  it('opens with the data key of before what the house seals with a new one', async () => {
    const { team, userId } = await filledTeam();
    const path = await backUp();
    const { teamId } = team.tenant;
    const generation = await asSystem(service.app.db, (tx) => service.app.keyring.addKey(tx, team.tenant));
    await query("update tenant_key set state = 'retired' where team_id = $1 and environment = 'sandbox'", [
      teamId,
    ]);
    await query(
      "update tenant_key set state = 'current' where team_id = $1 and environment = 'sandbox' and generation = $2",
      [teamId, generation],
    );
    service.app.keyring.invalidate(team.tenant);
    const keys = await query('select * from tenant_key where team_id = $1 order by 1, 2, 4', [teamId]);
    await team.patch(`/v2/user/${userId}/info`, { ...patient, first_name: 'Later', address });
    await restore(path, team, { replace: true });
    expect(await query('select * from tenant_key where team_id = $1 order by 1, 2, 4', [teamId])).toEqual(
      keys,
    );
    expect((await team.get(`/v2/user/${userId}/info/latest`)).json.first_name).toBe(patient.first_name);
  });

  it('raises a sequence that is behind the restored numbers', async () => {
    const { team, orderId } = await filledTeam();
    const path = await backUp();
    await loseTeam(team);
    // As in a house that was set up anew from an older backup.
    await query("select setval('lab_order_event_id_seq', 1)");
    await restore(path, team);
    const [numbers] = await query<{ highest: number; next: number }>(
      `select max(id)::int as highest, nextval('lab_order_event_id_seq')::int as next
       from lab_order_event where team_id = $1 and order_id = $2`,
      [team.tenant.teamId, orderId],
    );
    expect(numbers?.next).toBe((numbers?.highest ?? 0) + 1);
  });

  it('changes nothing as a dry run, and tells the same', async () => {
    const { team } = await filledTeam();
    const path = await backUp();
    await loseTeam(team);
    const [before, others] = [await rowsOf(team), await othersThan(team)];
    const planned = await restore(path, team, { dryRun: true });
    expect(await rowsOf(team)).toEqual(before);
    expect(await othersThan(team)).toEqual(others);
    expect(
      await query("select from audit_log where org_id = $1 and action = 'team.restored'", [team.orgId]),
    ).toEqual([]);
    expect(await restore(path, team)).toEqual(planned);
  });

  it('continues the event log above every position that was read', async () => {
    const { team } = await filledTeam();
    const path = await backUp();
    await hooks.say(team, 1);
    await service.settle();
    const { latest: seen } = await log(team);
    await restore(path, team, { replace: true });
    const newest = async () => {
      await hooks.say(team, 1);
      await service.settle();
      return (await log(team, seen)).positions;
    };
    expect(await newest()).toEqual([seen + 1]);
    await loseTeam(team, ['event_log_head']);
    await restore(path, team);
    const [position] = await newest();
    expect(position).toBeGreaterThan(seen + 1_000_000);
  });
});

/** The storage keys of the team's files. */
async function listStoredKeys({ tenant }: TestTeam): Promise<string[]> {
  const rows = await query<{ id: string }>('select id from lab_report_file where team_id = $1', [
    tenant.teamId,
  ]);
  return rows.map(({ id }) => `lab-reports/${tenant.teamId}/${tenant.environment}/${id}`);
}
