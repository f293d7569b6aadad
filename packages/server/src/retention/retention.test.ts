import { describe, expect, it } from 'vitest';
import { useAccessLog } from '../../test/access-log.ts';
import { connectLab } from '../../test/laboratory.ts';
import { ingestReadings, summaryReading } from '../../test/wearable-data.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { useWebhookFixture } from '../../test/webhook-fixture.ts';
import { removers } from '../data-lifecycle.ts';
import { sealAccessLog, sealVerifier } from '../identity/access-log/access-log.ts';
import { verifyAuditLog } from '../identity/management/management.ts';
import { DAY, later, MINUTE } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { sweepTenant } from './retention.ts';
import { listTenantsToSweep } from './store.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);
const { eventually, logOf } = useAccessLog(service);

const pathOf = ({ orgId, tenant }: TestTeam, environment = tenant.environment) =>
  `/v1/org/${orgId}/team/${tenant.teamId}/${environment}`;

const set = (team: TestTeam, body: object, environment = team.tenant.environment) =>
  team.management.patch(`${pathOf(team, environment)}/retention`, body);

/** Sweeps what is due for a team. */
async function sweep({ tenant }: TestTeam): Promise<void> {
  const now = service.clock.now();
  const all = await asSystem(service.app.db, (tx) =>
    listTenantsToSweep(tx, { after: undefined, now, limit: 1000 }),
  );
  const due = all.find((row) => row.team_id === tenant.teamId && row.environment === tenant.environment);
  if (!due) throw new Error('The team is missing from the list');
  await sweepTenant(service.app, removers, due);
}

const sweepsOf = async (team: TestTeam, kind: string) =>
  (await team.management.get(`${pathOf(team)}/retention/sweep?kind=${kind}`)).json.data;

const auditOf = async (team: TestTeam, action: string) =>
  (await team.management.get(`/v1/org/${team.orgId}/audit_log?action=${action}`)).json.data;

async function verificationFault(team: TestTeam): Promise<string | undefined> {
  for await (const { orgId, broken } of verifyAuditLog(service.app, [], sealVerifier)) {
    if (orgId === team.orgId) return broken?.reason;
  }
  throw new Error('The organization was not verified');
}

describe('the settings', () => {
  it('begin with what the service does without them', async () => {
    const team = await service.team();
    const { json } = await team.management.get(`${pathOf(team)}/retention`);
    const days = json.data.map((item: { kind: string; keep_days: number | null }) => [
      item.kind,
      item.keep_days,
    ]);
    expect(Object.fromEntries(days)).toEqual({
      events: null,
      webhook_attempts: 30,
      access_log: null,
      request_log: 7,
      lab_report_files: null,
      lab_messages: null,
      wearable_raw: null,
    });
  });

  it('are changed with an audit entry, and reset to the default', async () => {
    const team = await service.team();
    expect((await set(team, { events: 90, wearable_raw: 5 })).status).toBe(200);
    const { json } = await set(team, { events: 'default' });
    const of = (kind: string) => json.data.find((item: { kind: string }) => item.kind === kind);
    expect(of('events')).toMatchObject({ keep_days: null, is_default: true });
    expect(of('wearable_raw')).toMatchObject({ keep_days: 5, is_default: false });
    expect(await auditOf(team, 'retention.update')).toMatchObject([
      { before: { events: 90, wearable_raw: 5 }, after: { environment: 'sandbox', wearable_raw: 5 } },
      { after: { environment: 'sandbox', events: 90, wearable_raw: 5 } },
    ]);
  });

  it.each([
    ['sandbox', { events: 29 }, 'events'],
    ['sandbox', { webhook_attempts: null }, 'webhook_attempts'],
    ['sandbox', { webhook_attempts: 731 }, 'webhook_attempts'],
    ['production', { access_log: 2191 }, 'access_log'],
    ['sandbox', { lab_messages: 0 }, 'lab_messages'],
  ] as const)('in %s refuse %j', async (environment, body, field) => {
    const team = await service.team();
    const answer = await set(team, body, environment);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].loc).toEqual(['body', field]);
  });

  it('need an Org Management Key', async () => {
    const team = await service.team();
    const key = await team.management.post(`/v1/org/${team.orgId}/management_key`, {
      label: 'team',
      role: 'team_admin',
      team_role_bindings: [{ team_id: team.tenant.teamId }],
    });
    const lesser = service.client({ 'x-management-key': key.json.key });
    expect((await lesser.patch(`${pathOf(team)}/retention`, { events: 90 })).status).toBe(403);
    expect((await lesser.get(`${pathOf(team)}/retention`)).status).toBe(200);
  });
});

describe('old events', () => {
  it('are removed with a proof, except undelivered ones; an older cursor is a 410', async () => {
    const team = await service.team();
    await set(team, { events: 40 });
    await hooks.say(team, 1, 2, 3);
    await service.settle();
    const hook = await hooks.hook(team);
    hook.receiver.respond = () => ({ status: 500 });
    await hooks.say(team, 4);
    await service.settle();
    // The endpoint is disabled after a while; its message is held.
    service.clock.move(41 * DAY);
    await service.settle();
    await hooks.say(team, 5);
    await service.settle();
    const log = `${pathOf(team)}/event`;
    await service.ownerPool.query("update webhook_delivery set status = 'held' where endpoint_id = $1", [
      hook.id,
    ]);
    await sweep(team);
    const kept = await team.management.get(`${log}?event_type=test.something.happened`);
    expect(kept.json.data.map(({ body }: { body: { data: { n: number } } }) => body.data.n)).toEqual([4, 5]);
    const [first] = kept.json.data;
    expect((await team.management.get(`${log}?after=1`)).status).toBe(410);
    expect((await team.management.get(`${log}?after=${first.position - 1}`)).status).toBe(200);
    const [proof] = await sweepsOf(team, 'events');
    expect(proof).toMatchObject({ kind: 'events', keep_days: 40, day: '2026-04-12' });
    expect(proof.deleted).toBe(first.position - 1);
    expect(proof.newest < proof.deleted_before).toBe(true);
    const entries = await auditOf(team, 'retention.sweep');
    const entry = entries.find(({ subject }: { subject: string }) => subject === proof.id);
    const { id: _id, finished_at: _end, ...facts } = proof;
    expect(entry.after).toEqual({ environment: 'sandbox', ...facts });
    expect(await verificationFault(team)).toBeUndefined();
  });

  it('are removed once a day of the tenant’s clock', async () => {
    const team = await service.team();
    await set(team, { events: 30 });
    await hooks.say(team, 1);
    await service.settle();
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    await sweep(team);
    expect(await sweepsOf(team, 'events')).toEqual([]);
    expect((await team.management.post(clock, { advance_seconds: (31 * DAY) / 1000 })).status).toBe(200);
    await sweep(team);
    await sweep(team);
    expect(await sweepsOf(team, 'events')).toHaveLength(1);
  });
});

describe('old lines of the access log', () => {
  it('are removed in sealed ranges, so that the logs still verify', async () => {
    const team = await service.team();
    await set(team, { access_log: 30 });
    await team.user();
    await eventually(async () => expect(await logOf(team)).toHaveLength(1));
    await sealAccessLog(service.app);
    service.clock.move(31 * DAY);
    await team.user();
    await eventually(async () => expect(await logOf(team)).toHaveLength(2));
    await sealAccessLog(service.app);
    const deleting = service.ownerPool.query('delete from access_log where team_id = $1', [
      team.tenant.teamId,
    ]);
    await expect(deleting).rejects.toThrow('The access log is append-only');
    await sweep(team);
    expect(await logOf(team)).toHaveLength(1);
    expect(await sweepsOf(team, 'access_log')).toMatchObject([{ deleted: 1 }]);
    expect(await auditOf(team, 'access_log.removed')).toMatchObject([
      { after: { lines: 1, environment: 'sandbox' } },
    ]);
    expect(await verificationFault(team)).toBeUndefined();
    await service.ownerPool.query('update access_log_seal set removed_to = sealed_to where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect(await verificationFault(team)).toMatch(/removed without a valid record: sandbox of team/);
  });

  it('stay if they differ from their seal', async () => {
    const team = await service.team();
    await set(team, { access_log: 30 });
    await team.user();
    await eventually(async () => expect(await logOf(team)).toHaveLength(1));
    await sealAccessLog(service.app);
    const client = await service.ownerPool.connect();
    await client.query('alter table access_log disable trigger user');
    await client.query("update access_log set operation = 'other' where team_id = $1", [team.tenant.teamId]);
    await client.query('alter table access_log enable trigger user');
    client.release();
    service.clock.move(31 * DAY);
    await sweep(team);
    expect(await logOf(team)).toHaveLength(1);
    expect(await auditOf(team, 'access_log.removed')).toEqual([]);
  });
});

describe('old files, messages and payloads', () => {
  it('of a report are removed once it is decided', async () => {
    const team = await service.team();
    await set(team, { lab_report_files: 30 });
    const userId = await team.user();
    const old = later(service.clock.now(), -40 * DAY);
    const own = [team.tenant.teamId, 'sandbox'];
    for (const status of ['completed', 'pending_review', 'failed']) {
      const job = newId();
      await service.ownerPool.query(
        `insert into lab_report_job (team_id, environment, id, user_id, status, needs_human_review, is_reviewed, pages,
          tries, created_at, updated_at) values ($1, $2, $3, $4, $5, false, false, 1, 1, $6, $6)`,
        [...own, job, userId, status, old],
      );
      // A new file, so that the cleaner does not delete its row before the test reads it.
      await service.ownerPool.query(
        `insert into lab_report_file (team_id, environment, id, job_id, place, media_type, made_at)
          values ($1, $2, $3, $4, 1, 'application/pdf', $5)`,
        [...own, newId(), job, service.clock.now()],
      );
    }
    await sweep(team);
    const { rows } = await service.ownerPool.query(
      'select j.status from lab_report_file f join lab_report_job j on j.id = f.job_id where f.team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ status: 'pending_review' }]);
    expect(await sweepsOf(team, 'lab_report_files')).toMatchObject([{ deleted: 2 }]);
  });

  it('of a laboratory lose their bodies, unless a report waits for a decision', async () => {
    const team = await service.team();
    await set(team, { lab_messages: 30 });
    const { id: connection } = await connectLab(team);
    const old = later(service.clock.now(), -40 * DAY);
    const insert = async (status: string, at = old) => {
      const id = newId();
      await service.ownerPool.query(
        `insert into lab_message (team_id, environment, id, connection_id, direction, format, way, status, control_id,
          message_type, digest, size_bytes, body, created_at, attempts)
        values ($1, 'sandbox', $2, $3, 'in', 'hl7', 'mllp', $4, $5, 'ORU', $6, 9, $6, $7, 0)`,
        [team.tenant.teamId, id, connection, status, id, Buffer.from(id), at],
      );
      return id;
    };
    const done = await insert('taken');
    const waiting = await insert('taken');
    const dead = await insert('dead');
    const young = await insert('taken', later(service.clock.now(), -MINUTE));
    await service.ownerPool.query(
      `insert into incoming_result (team_id, environment, id, lab_slug, control_id, message_id, digest, document,
        reported_at, status, decision_code, sub_reason_codes, review_opened_at, candidates, created_at, updated_at)
      values ($1, 'sandbox', $2, 'labcorp', $3, $3, $4, $4, $5, 'pending_customer_review', 'x', '{}', $5, '[]', $5, $5)`,
      [team.tenant.teamId, newId(), waiting, Buffer.from(waiting), old],
    );
    await sweep(team);
    const { rows } = await service.ownerPool.query(
      'select id, redaction, size_bytes from lab_message where team_id = $1 order by id',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([
      { id: done, redaction: 'expired', size_bytes: 0 },
      { id: waiting, redaction: null, size_bytes: 9 },
      { id: dead, redaction: null, size_bytes: 9 },
      { id: young, redaction: null, size_bytes: 9 },
    ]);
  });

  it('of a provider are removed, and the summary stays', async () => {
    const team = await service.team();
    await set(team, { wearable_raw: 10 });
    const userId = await team.user();
    const body = { weight: 70.5 };
    await ingestReadings({ service, team, userId }, [
      summaryReading({ resource: 'body', body, raw: { grams: 70_500 } }),
    ]);
    service.clock.move(11 * DAY);
    await sweep(team);
    const { json } = await team.get(
      `/v2/summary/body/${userId}/raw?start_date=2026-03-01&end_date=2026-03-03`,
    );
    expect(JSON.stringify(json)).not.toContain('grams');
    expect(JSON.stringify(json)).toContain('70.5');
    expect(await sweepsOf(team, 'wearable_raw')).toMatchObject([{ deleted: 1 }]);
  });
});

describe('the request log', () => {
  it('is deleted by age, with the oldest requests first', async () => {
    const team = await service.team();
    const insert = (days: number) =>
      service.ownerPool.query(
        `insert into request_log (team_id, environment, at, kind, key_id, operation, method, route, path, status,
           duration_ms, request_id) values ($1, 'sandbox', $2, 'api_key', 'k', 'getUser', 'GET', '/', '/', 200, 1, 'r')`,
        [team.tenant.teamId, later(service.clock.now(), -days * DAY)],
      );
    for (const days of [1, 6, 8, 30]) await insert(days);
    await sweep(team);
    expect(await sweepsOf(team, 'request_log')).toMatchObject([{ deleted: 2, keep_days: 7 }]);
    const left = await team.get('/v1/request-log?operation=getUser');
    expect(left.json.data).toHaveLength(2);
    expect((await set(team, { request_log: 91 })).status).toBe(422);
    expect((await set(team, { request_log: null })).status).toBe(422);
  });
});
