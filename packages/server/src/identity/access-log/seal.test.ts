import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useAccessLog } from '../../../test/access-log.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';
import { stallInTransaction } from '../../../test/stalled-transaction.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { verifyAuditLog } from '../management/management.ts';
import { sealAccessLog, sealVerifier } from './access-log.ts';
import { lockSealedPosition } from './seal-store.ts';
import { openSealer } from './seal.ts';

const service = useTestService();
const { pathOf, operationsOf, eventually, teamWithAccesses } = useAccessLog(service);

/** The fault that the verification reports for the team's organization. */
async function verificationFault(team: TestTeam): Promise<string | undefined> {
  for await (const { orgId, broken } of verifyAuditLog(service.app, [], sealVerifier)) {
    if (orgId === team.orgId) return broken?.reason;
  }
  throw new Error('The organization was not verified');
}

const sealsOf = async (team: TestTeam) =>
  (await team.management.get(`/v1/org/${team.orgId}/audit_log?action=access_log.sealed`)).json.data;

const sealedLines = async (team: TestTeam): Promise<number> =>
  (await sealsOf(team)).reduce(
    (sum: number, { after }: { after: { lines: number } }) => sum + after.lines,
    0,
  );

/** Runs a statement of an owner of the database who disables the triggers. */
async function tamper(table: string, statement: string, values: unknown[]): Promise<void> {
  const client = await service.ownerPool.connect();
  try {
    await client.query('begin');
    await client.query(`alter table ${table} disable trigger user`);
    await client.query(statement, values);
    await client.query(`alter table ${table} enable trigger user`);
    await client.query('commit');
  } finally {
    client.release();
  }
}

const INSERT_ENTRY = `insert into access_log
  (team_id, environment, at, kind, key_id, operation, method, status, address, request_id)
  values ($1, 'sandbox', $2, 'api_key', 'k', 'fromElsewhere', 'GET', 200, '', '')`;

/** Writes an entry as another process does, here one that exits immediately afterwards. */
const writeEntry = (team: TestTeam) =>
  service.ownerPool.query(INSERT_ENTRY, [team.tenant.teamId, service.clock.now()]);

describe('the sealing of the access log', () => {
  it('seals every entry within ten minutes, whichever process wrote it', async () => {
    const team = await service.team();
    const sealers = [openSealer(service.app), openSealer(service.app)];
    const written: number[] = [];
    for (let minute = 0; minute < 25; minute += 1) {
      await writeEntry(team);
      written.push(minute);
      // Each process polls every minute.
      for (const sealer of sealers) await sealer.iterate();
      const due = written.filter((at) => minute - at >= 9).length;
      expect(await sealedLines(team)).toBeGreaterThanOrEqual(due);
      service.clock.move(MINUTE);
    }
    expect((await sealsOf(team)).length).toBeLessThanOrEqual(25 / 5 + 1);
    expect(await verificationFault(team)).toBeUndefined();
  });

  it('seals what earlier processes left as soon as a process starts', async () => {
    const team = await service.team();
    for (let entries = 1; entries <= 3; entries += 1) {
      await writeEntry(team);
      await openSealer(service.app).iterate();
      expect(await sealedLines(team)).toBe(entries);
    }
  });

  it('seals entries of a clock that is ahead, without waiting for it', async () => {
    const team = await service.team();
    const sealer = openSealer(service.app);
    await sealer.iterate();
    await service.ownerPool.query(INSERT_ENTRY, [
      team.tenant.teamId,
      new Date(service.clock.now().getTime() + HOUR),
    ]);
    await sealer.iterate();
    expect(await sealedLines(team)).toBe(1);
  });

  it('does not wait for transactions that wrote no entry', async () => {
    const team = await service.team();
    const client = await service.ownerPool.connect();
    try {
      await client.query('begin');
      await client.query('select pg_current_xact_id()');
      await writeEntry(team);
      await sealAccessLog(service.app);
      expect(await sealedLines(team)).toBe(1);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('waits for entries with an earlier position that are not committed yet', async () => {
    const team = await service.team();
    const client = await service.ownerPool.connect();
    try {
      await client.query('begin');
      await client.query(INSERT_ENTRY, [team.tenant.teamId, service.clock.now()]);
      await writeEntry(team);
      const sealing = sealAccessLog(service.app);
      await eventually(async () => {
        const { rows } = await service.ownerPool.query(
          "select 1 from pg_stat_activity where query like '%pg_locks%' and pid <> pg_backend_pid()",
        );
        expect(rows).not.toEqual([]);
      });
      expect(await sealedLines(team)).toBe(0);
      await client.query('commit');
      await sealing;
      expect(await sealedLines(team)).toBe(2);
      expect(await verificationFault(team)).toBeUndefined();
    } finally {
      client.release();
    }
  });

  it('loses and doubles nothing when sealing processes are killed in between', async () => {
    const team = await service.team();
    for (let round = 1; round <= 10; round += 1) {
      await writeEntry(team);
      const sealing = Promise.allSettled([1, 2, 3].map(() => sealAccessLog(service.app)));
      await service.ownerPool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%access_log%' and pid <> pg_backend_pid()`,
      );
      await sealing;
    }
    await eventually(() => sealAccessLog(service.app));
    expect(await sealedLines(team)).toBe(10);
    expect(await verificationFault(team)).toBeUndefined();
  });

  it('continues when a process hangs while it seals', async () => {
    const team = await service.team();
    await writeEntry(team);
    const hung = stallInTransaction(service.app.db, lockSealedPosition);
    expect(await hung.stopped).toBeLessThanOrEqual(10_000);
    await sealAccessLog(service.app);
    expect(await sealedLines(team)).toBe(1);
    expect(await hung.resume()).toBe('undone');
  });

  it('covers every entry once, with concurrent sealers', async () => {
    const { team, userId } = await teamWithAccesses();
    await Promise.all([sealAccessLog(service.app), sealAccessLog(service.app)]);
    const [first, ...others] = await sealsOf(team);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ actor: 'service', team_id: team.tenant.teamId });
    expect(first.after).toMatchObject({ environment: 'sandbox', after: 0, lines: 4 });
    await team.patch(`/v2/user/${userId}`, { fallback_time_zone: 'Europe/Berlin' });
    await Promise.all([sealAccessLog(service.app), sealAccessLog(service.app)]);
    const [second] = await sealsOf(team);
    expect(second.after).toMatchObject({ after: first.after.to, lines: 1 });
    expect(await verificationFault(team)).toBeUndefined();
  });
});

const COLUMNS =
  'at, kind, key_id, operation, method, status, about_user, about_order, about, address, request_id';
const OF_ORDER = "team_id = $1 and operation = 'getOrder'";

describe('the verification of the access log', () => {
  // prettier-ignore
  const TAMPERING: [string, string, string, RegExp][] = [
    ['a changed entry',                'access_log', `update access_log set key_id = 'somebody else' where ${OF_ORDER}`, /lines of the access log were changed: sandbox of team/],
    ['a removed entry',                'access_log', `delete from access_log where ${OF_ORDER}`, /had 4 lines and has 3/],
    ['an inserted entry',              'access_log', `insert into access_log select team_id, environment, place - 100000, ${COLUMNS} from access_log where ${OF_ORDER} and place > 100000`, /had 4 lines and has 5/],
    ['an entry before the first',      'access_log', `insert into access_log select team_id, environment, -place, ${COLUMNS} from access_log where ${OF_ORDER}`, /1 lines were added to the access log.*sandbox of team/],
    ['an entry between two seals',     'access_log', `insert into access_log select team_id, 'production', place, ${COLUMNS} from access_log where ${OF_ORDER}`, /1 lines were added to the access log.*production of team/],
    ['reordered entries',              'access_log', `update access_log set place = -place where team_id = $1; `, /had 4 lines and has 0/],
    ['two entries that were swapped',  'access_log', `update access_log a set operation = b.operation from access_log b where a.team_id = $1 and b.team_id = $1 and a.operation in ('getOrder', 'getUser') and b.operation in ('getOrder', 'getUser') and a.place <> b.place`, /lines of the access log were changed/],
    ['a truncated tail',               'access_log', 'delete from access_log where team_id = $1 and place > (select min(place) from access_log where team_id = $1)', /had 4 lines and has 1/],
    ['a removed seal',                 'audit_log',  "delete from audit_log where org_id = (select org_id from team where id = $1) and action = 'access_log.sealed'", /cut off/],
    ['a sealed position in advance',   'access_log_seal', 'update access_log_seal set sealed_to = sealed_to + 1 where team_id = $1', /the sealed position of the access log was changed: sandbox of team/],
    ['a sealed position set back',     'access_log_seal', 'update access_log_seal set sealed_to = 0 where team_id = $1', /the sealed position of the access log was changed/],
    ['a removed sealed position',      'access_log_seal', 'delete from access_log_seal where team_id = $1', /the sealed position of the access log was changed/],
  ];
  it.each(TAMPERING)('reveals %s', async (_what, table, statement, why) => {
    // Leaves room for a position before the first entry.
    await service.ownerPool.query(
      "select setval('access_log_place_seq', last_value + 200000) from access_log_place_seq",
    );
    const { team } = await teamWithAccesses();
    await sealAccessLog(service.app);
    expect(await verificationFault(team)).toBeUndefined();
    await tamper(table, statement, [team.tenant.teamId]);
    expect(await verificationFault(team)).toMatch(why);
  });

  it('reveals a newest seal that was removed together with the head of the chain', async () => {
    const { team } = await teamWithAccesses();
    await sealAccessLog(service.app);
    await tamper(
      'audit_log',
      "delete from audit_log where org_id = $1 and action = 'access_log.sealed' and position = (select max(position) from audit_log where org_id = $1)",
      [team.orgId],
    );
    await service.ownerPool.query(
      `update audit_head h set position = a.position, digest = a.digest from (select position, digest from audit_log
        where org_id = $1 order by position desc limit 1) a where h.org_id = $1`,
      [team.orgId],
    );
    expect(await verificationFault(team)).toMatch(/the sealed position of the access log was changed/);
  });

  it('reveals entries that were not sealed in time', async () => {
    const lock = "hashtextextended('aliquot.access-log-seal', 0)";
    const client = await service.ownerPool.connect();
    await client.query(`select pg_advisory_lock(${lock})`);
    const { team } = await teamWithAccesses();
    service.clock.move(9 * MINUTE);
    expect(await verificationFault(team)).toBeUndefined();
    service.clock.move(2 * MINUTE);
    expect(await verificationFault(team)).toMatch(
      /4 lines of the access log are not sealed since 2026-.*sandbox of team/,
    );
    await client.query(`select pg_advisory_unlock(${lock})`);
    client.release();
    await sealAccessLog(service.app);
    expect(await verificationFault(team)).toBeUndefined();
  });

  it('reports no fault while entries are written and sealed', async () => {
    const team = await service.team();
    let stopped = false;
    const writing = (async () => {
      while (!stopped) {
        await writeEntry(team);
        await sealAccessLog(service.app);
      }
    })();
    for (let round = 0; round < 3; round += 1) expect(await verificationFault(team)).toBeUndefined();
    stopped = true;
    await writing;
    expect(await sealedLines(team)).toBeGreaterThan(0);
  });

  it('stays valid after its users are erased', async () => {
    const { team, userId, orderId } = await teamWithAccesses();
    await sealAccessLog(service.app);
    await team.delete(`/v2/user/${userId}`);
    await team.management.post(`${pathOf(team)}/clock`, { advance_seconds: (8 * 24 * HOUR) / 1000 });
    await service.settle();
    const { rows } = await service.ownerPool.query('select 1 from app_user where id = $1', [userId]);
    expect(rows).toEqual([]);
    expect(await operationsOf(team, `?order_id=${orderId}`)).toEqual(['getOrder']);
    await sealAccessLog(service.app);
    expect(await verificationFault(team)).toBeUndefined();
  });

  it('cannot be deceived by the roles of the service, which cannot change sealed entries', async () => {
    for (const [statement, reason] of [
      ['delete from access_log', /append-only/],
      ['update access_log set status = 0', /permission denied/],
    ] as const) {
      const changing = asSystem(service.app.db, (tx) => sql.raw(statement).execute(tx));
      await expect(changing).rejects.toThrow(reason);
    }
  });
});
