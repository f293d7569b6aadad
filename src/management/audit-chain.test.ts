import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { MINUTE } from '../platform/clock.ts';
import { verifyAuditLog, type Anchor, type ChainReport } from './management.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const logOf = (team: TeamInHand) => `/v1/org/${team.orgId}/audit_log`;
const rename = (team: TeamInHand, name: string) => team.management.patch(`/v1/org/${team.orgId}`, { name });

async function verified(team: TeamInHand, anchors: readonly Anchor[] = []): Promise<ChainReport> {
  for await (const report of verifyAuditLog(house.app, anchors)) {
    if (report.orgId === team.orgId) return report;
  }
  throw new Error('The organization was not looked at');
}

/** A team with a log of 7 lines. */
async function withLog(): Promise<TeamInHand> {
  const team = await house.team();
  for (const name of ['One', 'Two', 'Three']) await rename(team, name);
  return team;
}

/** What somebody does who owns the database. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  const client = await house.owner.connect();
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
  it('is whole however many write at once', async () => {
    const team = await house.team();
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
    expect(await verified(team)).toEqual({
      orgId: team.orgId,
      lines: places.length,
      digest: data[0].digest,
      broken: undefined,
    });
  });

  // prettier-ignore
  const DEEDS: [string, string, Partial<ChainReport['broken']>, number][] = [
    ['a line that was changed',          "update audit_log set actor = 'somebody else' where org_id = $1 and position = 3",                  { position: 3, why: 'the line was changed' }, 2],
    ['a line whose content was changed', `update audit_log set after = '{"name": "x"}' where org_id = $1 and position = 4`,                { position: 4, why: 'the line was changed' }, 3],
    ['a line whose moment was changed',  "update audit_log set created_at = created_at + interval '1 microsecond' where org_id = $1 and position = 1", { position: 1, why: 'the line was changed' }, 0],
    ['a line that was cut out',          'delete from audit_log where org_id = $1 and position = 2',                                       { position: 2, id: null, why: 'the line is missing' }, 1],
    ['a tail that was cut off',          'delete from audit_log where org_id = $1 and position > 4',                                       { position: 5, id: null }, 4],
    ['a log that was emptied',           'delete from audit_log where org_id = $1',                                                        { position: 1, id: null }, 0],
    ['a line that was written anew with a digest that fits', `update audit_log a set actor = 'x', digest = aliquot_deed_digest(row(a.id, a.org_id, a.team_id, 'x', a.action, a.subject, a.before, a.after, a.address, a.request_id, a.created_at, a.position, a.previous, a.digest)::audit_log) where org_id = $1 and position = 2`, { position: 3, why: 'the line does not follow the one before it' }, 2],
    ['a line that was added at the end', `insert into audit_log (id, org_id, actor, action, subject, created_at, position, previous, digest) select gen_random_uuid(), org_id, 'x', 'x', 'x', created_at, position + 1, digest, digest from audit_log where org_id = $1 order by position desc limit 1`, { why: 'the line was added behind the head of the chain' }, 7],
  ];
  it.each(DEEDS)('betrays %s', async (_what, statement, broken, lines) => {
    const team = await withLog();
    const before = await verified(team);
    expect(before).toMatchObject({ lines: 7, broken: undefined });
    await tamper(statement, [team.orgId]);
    expect(await verified(team)).toMatchObject({ lines, broken });
  });

  it('betrays a head that is gone or names another line', async () => {
    const team = await withLog();
    await house.owner.query("update audit_head set digest = '\\x00' where org_id = $1", [team.orgId]);
    expect((await verified(team)).broken?.why).toBe('the head of the chain names another line');
    await house.owner.query('delete from audit_head where org_id = $1', [team.orgId]);
    expect((await verified(team)).broken?.why).toBe('the head of the chain is missing');
  });

  it('betrays even one who moved the head too, by what was written down elsewhere', async () => {
    const team = await withLog();
    const { lines, digest } = await verified(team);
    const anchor = { orgId: team.orgId, position: lines, digest };
    await rename(team, 'Later');
    expect((await verified(team, [anchor])).broken).toBeUndefined();
    await tamper('delete from audit_log where org_id = $1 and position > 4', [team.orgId]);
    const rewind = `update audit_head h set position = 4, digest = a.digest
      from audit_log a where a.org_id = h.org_id and a.position = 4 and h.org_id = $1`;
    await house.owner.query(rewind, [team.orgId]);
    expect((await verified(team)).broken).toBeUndefined();
    expect((await verified(team, [anchor])).broken?.why).toMatch(/^the end was cut off/);
    for (const name of ['Other', 'Than', 'Before']) await rename(team, name);
    expect((await verified(team)).broken).toBeUndefined();
    expect((await verified(team, [anchor])).broken).toMatchObject({ position: lines });
  });

  it('cannot be changed by the owner of the tables either, unless on purpose', async () => {
    const team = await withLog();
    for (const statement of [
      "update audit_log set actor = 'x'",
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      await expect(house.owner.query(statement)).rejects.toThrow('The audit log is append-only');
    }
    expect((await verified(team)).broken).toBeUndefined();
  });

  it('has no head that the service itself could move', async () => {
    const { asSystem } = await import('../platform/db/transact.ts');
    const moving = asSystem(house.app.db, (tx) =>
      tx.updateTable('audit_head').set({ position: 0 }).execute(),
    );
    await expect(moving).rejects.toThrow(/permission denied/);
  });
});

/** The whole log as the export tells it. */
const exported = (team: TeamInHand, query = '', key = team.managementKey) =>
  house.http.server.inject({
    url: logOf(team) + query,
    headers: { accept: 'application/x-ndjson', 'x-management-key': key },
  });

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('reading the audit log', () => {
  it('finds lines by who, what, on what and when', async () => {
    const team = await house.team();
    const start = house.clock.now().toISOString();
    house.clock.move(MINUTE);
    await rename(team, 'One');
    const middle = house.clock.now().toISOString();
    house.clock.move(MINUTE);
    const key = (
      await team.management.post(`/v1/org/${team.orgId}/management_key`, { label: 'k', role: 'org_admin' })
    ).json;
    await house.caller({ 'x-management-key': key.key }).patch(`/v1/org/${team.orgId}`, { name: 'Two' });
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

  it('gives all of it as lines of JSON, oldest first', async () => {
    const team = await withLog();
    const answer = await exported(team);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const { data } = (await team.management.get(logOf(team))).json;
    expect(linesOf(answer.body)).toEqual(data.toReversed());
    expect(linesOf((await exported(team, '?action=organization.update')).body)).toHaveLength(3);
    expect((await exported(team, '?action=nothing')).body).toBe('');
    const stranger = await house.team();
    const refused = await exported(team, '', stranger.managementKey);
    expect([refused.statusCode, refused.json()]).toEqual([404, { detail: 'Organization not found' }]);
  });

  it('gives a long one in many pieces', async () => {
    const team = await house.team();
    const many = `insert into audit_log (id, org_id, actor, action, subject, created_at)
      select gen_random_uuid(), $1, 'service', 'test', n::text, now() from generate_series(1, 1200) n`;
    await house.owner.query(many, [team.orgId]);
    const subjects = linesOf((await exported(team, '?action=test')).body).map(({ subject }) => subject);
    expect(subjects).toEqual(Array.from({ length: 1200 }, (_, n) => String(n + 1)));
    expect((await verified(team)).broken).toBeUndefined();
  });
});
