import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { MINUTE } from '../../platform/clock.ts';
import { verifyAuditLog, type AuditAnchor, type AuditChainReport } from './management.ts';

const service = useTestService();

const logOf = (team: TestTeam) => `/v1/org/${team.orgId}/audit_log`;
const rename = (team: TestTeam, name: string) => team.management.patch(`/v1/org/${team.orgId}`, { name });

async function verify(team: TestTeam, anchors: readonly AuditAnchor[] = []): Promise<AuditChainReport> {
  for await (const report of verifyAuditLog(service.app, anchors)) {
    if (report.orgId === team.orgId) return report;
  }
  throw new Error('The organization was not verified');
}

/** A team with 7 audit entries. */
async function teamWithLog(): Promise<TestTeam> {
  const team = await service.team();
  for (const name of ['One', 'Two', 'Three']) await rename(team, name);
  return team;
}

/** Tampers with the log, as the owner of the database can. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  const client = await service.ownerPool.connect();
  try {
    await client.query('begin');
    await client.query('alter table audit_log disable trigger user');
    await client.query(statement, values);
    await client.query('alter table audit_log enable trigger user');
    await client.query('commit');
  } finally {
    client.release();
  }
}

describe('the chain of the audit log', () => {
  it('is intact after concurrent writes', async () => {
    const team = await service.team();
    const making = Array.from({ length: 20 }, (_, n) => {
      const body = { label: `Key ${n}`, team_id: team.tenant.teamId };
      return team.management.post(`/v1/org/${team.orgId}/team_api_keys/sandbox/us`, body);
    });
    expect((await Promise.all(making)).every(({ status }) => status === 200)).toBe(true);
    const { data } = (await team.management.get(`${logOf(team)}?limit=500`)).json;
    const places = data.map(({ position }: { position: number }) => position);
    expect(places).toEqual(Array.from({ length: places.length }, (_, n) => places.length - n));
    for (const [n, line] of data.entries()) {
      expect(line.previous).toBe(data[n + 1]?.digest ?? '0'.repeat(64));
    }
    expect(await verify(team)).toEqual({
      orgId: team.orgId,
      lines: places.length,
      digest: data[0].digest,
      broken: undefined,
    });
  });

  // prettier-ignore
  const DEEDS: [string, string, Partial<AuditChainReport['broken']>, number][] = [
    ['a line that was changed',          "update audit_log set actor = 'somebody else' where org_id = $1 and position = 3",                  { position: 3, reason: 'the line was changed' }, 2],
    ['a line whose content was changed', `update audit_log set after = '{"name": "x"}' where org_id = $1 and position = 4`,                { position: 4, reason: 'the line was changed' }, 3],
    ['a line whose moment was changed',  "update audit_log set created_at = created_at + interval '1 microsecond' where org_id = $1 and position = 1", { position: 1, reason: 'the line was changed' }, 0],
    ['a line that was cut out',          'delete from audit_log where org_id = $1 and position = 2',                                       { position: 2, id: null, reason: 'the line is missing' }, 1],
    ['a tail that was cut off',          'delete from audit_log where org_id = $1 and position > 4',                                       { position: 5, id: null }, 4],
    ['a log that was emptied',           'delete from audit_log where org_id = $1',                                                        { position: 1, id: null }, 0],
    ['a line that was written anew with a digest that fits', `update audit_log a set actor = 'x', digest = aliquot_deed_digest(row(a.id, a.org_id, a.team_id, 'x', a.action, a.subject, a.before, a.after, a.address, a.request_id, a.created_at, a.position, a.previous, a.digest)::audit_log) where org_id = $1 and position = 2`, { position: 3, reason: 'the line does not match the digest of the previous line' }, 2],
    ['a line that was added at the end', `insert into audit_log (id, org_id, actor, action, subject, created_at, position, previous, digest) select gen_random_uuid(), org_id, 'x', 'x', 'x', created_at, position + 1, digest, digest from audit_log where org_id = $1 order by position desc limit 1`, { reason: 'the line was added after the head of the chain' }, 7],
  ];
  it.each(DEEDS)('reveals %s', async (_what, statement, broken, lines) => {
    const team = await teamWithLog();
    const before = await verify(team);
    expect(before).toMatchObject({ lines: 7, broken: undefined });
    await tamper(statement, [team.orgId]);
    expect(await verify(team)).toMatchObject({ lines, broken });
  });

  it('reveals a head that is missing or does not match the last line', async () => {
    const team = await teamWithLog();
    await service.ownerPool.query("update audit_head set digest = '\\x00' where org_id = $1", [team.orgId]);
    expect((await verify(team)).broken?.reason).toBe('the head of the chain does not match the last line');
    await service.ownerPool.query('delete from audit_head where org_id = $1', [team.orgId]);
    expect((await verify(team)).broken?.reason).toBe('the head of the chain is missing');
  });

  it('reveals a rewritten head by a digest that was recorded elsewhere', async () => {
    const team = await teamWithLog();
    const { lines, digest } = await verify(team);
    const anchor = { orgId: team.orgId, position: lines, digest };
    await rename(team, 'Later');
    expect((await verify(team, [anchor])).broken).toBeUndefined();
    await tamper('delete from audit_log where org_id = $1 and position > 4', [team.orgId]);
    const rewind = `update audit_head h set position = 4, digest = a.digest
      from audit_log a where a.org_id = h.org_id and a.position = 4 and h.org_id = $1`;
    await service.ownerPool.query(rewind, [team.orgId]);
    expect((await verify(team)).broken).toBeUndefined();
    expect((await verify(team, [anchor])).broken?.reason).toMatch(/^the end was cut off/);
    for (const name of ['Other', 'Than', 'Before']) await rename(team, name);
    expect((await verify(team)).broken).toBeUndefined();
    expect((await verify(team, [anchor])).broken).toMatchObject({ position: lines });
  });

  it('is append-only for the owner of the tables, too, unless triggers are disabled', async () => {
    const team = await teamWithLog();
    for (const statement of [
      "update audit_log set actor = 'x'",
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      await expect(service.ownerPool.query(statement)).rejects.toThrow('The audit log is append-only');
    }
    expect((await verify(team)).broken).toBeUndefined();
  });

  it('has a head that the service itself cannot change', async () => {
    const { asSystem } = await import('../../platform/db/transact.ts');
    const moving = asSystem(service.app.db, (tx) =>
      tx.updateTable('audit_head').set({ position: 0 }).execute(),
    );
    await expect(moving).rejects.toThrow(/permission denied/);
  });
});

/** The whole log from the NDJSON export. */
const exported = (team: TestTeam, query = '', key = team.managementKey) =>
  service.http.server.inject({
    url: logOf(team) + query,
    headers: { accept: 'application/x-ndjson', 'x-management-key': key },
  });

const parseLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('reading the audit log', () => {
  it('filters by actor, action, subject and time', async () => {
    const team = await service.team();
    const start = service.clock.now().toISOString();
    service.clock.move(MINUTE);
    await rename(team, 'One');
    const middle = service.clock.now().toISOString();
    service.clock.move(MINUTE);
    const key = (
      await team.management.post(`/v1/org/${team.orgId}/management_key`, { label: 'k', role: 'org_admin' })
    ).json;
    await service.client({ 'x-management-key': key.key }).patch(`/v1/org/${team.orgId}`, { name: 'Two' });
    const found = async (query: Record<string, string>) => {
      const { json } = await team.management.get(`${logOf(team)}?${new URLSearchParams(query)}`);
      return json.data.map(({ action }: { action: string }) => action);
    };
    expect(await found({ actor: key.id })).toEqual(['organization.update']);
    expect(await found({ action: 'organization.update' })).toHaveLength(2);
    expect(await found({ subject: key.id })).toEqual(['management_key.create']);
    expect(await found({ since: middle })).toHaveLength(3);
    expect(await found({ since: start, until: middle, actor: 'service' })).toHaveLength(4);
    expect(await found({ until: start })).toEqual([]);
    expect(await found({ action: 'organization.update', actor: key.id, since: middle })).toHaveLength(1);
    for (const wrong of ['?since=yesterday', '?limit=0', '?next_cursor=x']) {
      expect((await team.management.get(logOf(team) + wrong)).status).toBe(422);
    }
  });

  it('exports the whole log as NDJSON, oldest first', async () => {
    const team = await teamWithLog();
    const answer = await exported(team);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const { data } = (await team.management.get(logOf(team))).json;
    expect(parseLines(answer.body)).toEqual(data.toReversed());
    expect(parseLines((await exported(team, '?action=organization.update')).body)).toHaveLength(3);
    expect((await exported(team, '?action=nothing')).body).toBe('');
    const stranger = await service.team();
    const refused = await exported(team, '', stranger.managementKey);
    expect([refused.statusCode, refused.json()]).toEqual([404, { detail: 'Organization not found' }]);
  });

  it('exports a long log in batches', async () => {
    const team = await service.team();
    const many = `insert into audit_log (id, org_id, actor, action, subject, created_at)
      select gen_random_uuid(), $1, 'service', 'test', n::text, now() from generate_series(1, 1200) n`;
    await service.ownerPool.query(many, [team.orgId]);
    const subjects = parseLines((await exported(team, '?action=test')).body).map(({ subject }) => subject);
    expect(subjects).toEqual(Array.from({ length: 1200 }, (_, n) => String(n + 1)));
    expect((await verify(team)).broken).toBeUndefined();
  });

  it('cuts an export whose key is revoked while it is sent', async () => {
    const team = await service.team();
    const keyPath = `/v1/org/${team.orgId}/management_key`;
    const made = (await team.management.post(keyPath, { label: 'k', role: 'org_admin' })).json;
    const many = `insert into audit_log (id, org_id, actor, action, subject, created_at)
      select gen_random_uuid(), $1, 'service', 'test', n::text, now() from generate_series(1, 4000) n`;
    await service.ownerPool.query(many, [team.orgId]);
    const read = async (meanwhile: () => Promise<unknown>) => {
      const answer = await service.http.server.inject({
        url: `${logOf(team)}?action=test`,
        headers: { accept: 'application/x-ndjson', 'x-management-key': made.key },
        payloadAsStream: true,
      });
      let text = '';
      try {
        for await (const piece of answer.stream()) {
          if (text === '') await meanwhile();
          text += String(piece);
        }
      } catch {
        return 'cut';
      }
      return parseLines(text).length;
    };
    expect(await read(async () => service.clock.move(MINUTE))).toBe(4000);
    const revoke = async () => {
      expect((await team.management.delete(`${keyPath}/${made.id}`)).status).toBe(200);
      service.clock.move(MINUTE);
    };
    expect(await read(revoke)).toBe('cut');
  });
});
