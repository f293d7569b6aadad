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
    expect(first.after).toMatchObject({ environment: 'sandbox', lines: 4 });
    await team.patch(`/v2/user/${userId}`, { fallback_time_zone: 'Europe/Berlin' });
    await Promise.all([sealAccessLog(service.app), sealAccessLog(service.app)]);
    const [second] = await sealsOf(team);
    expect(second.after).toMatchObject({ after: first.after.to, lines: 1 });
    expect(await verificationFault(team)).toBeUndefined();
  });
});

/** All numbers in a JSON value. */
const numbersIn = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

/** Lines of another organization's team. */
const writeManyElsewhere = (lines: number) =>
  service.ownerPool.query(
    "select setval('access_log_place_seq', last_value + $1) from access_log_place_seq",
    [lines],
  );

/** A seal as earlier versions wrote it: with positions, and with the digest itself. */
async function sealAsEarlierVersion(team: TestTeam): Promise<void> {
  const { teamId } = team.tenant;
  const { rows } = await service.ownerPool.query<{ after: number; to: number }>(
    `select coalesce((select sealed_to from access_log_seal where team_id = $1), 0)::float as after,
      last_value::float as to from access_log_place_seq`,
    [teamId],
  );
  const { after = 0, to = 0 } = rows[0] ?? {};
  await service.ownerPool.query(
    `insert into audit_log (id, org_id, team_id, actor, action, subject, after, created_at)
      select gen_random_uuid(), $1, $2, 'service', 'access_log.sealed', $2::text,
        jsonb_build_object('environment', 'sandbox', 'after', $3::bigint, 'to', $4::bigint,
          'lines', d.lines, 'digest', d.digest), $5
      from aliquot_access_digest($2, 'sandbox', $3, $4) d`,
    [team.orgId, teamId, after, to, service.clock.now()],
  );
  await service.ownerPool.query(
    `insert into access_log_seal (team_id, environment, sealed_to) values ($1, 'sandbox', $2)
      on conflict (team_id, environment) do update set sealed_to = excluded.sealed_to`,
    [teamId, to],
  );
}

describe('the seals in the audit log', () => {
  it('do not tell how much other tenants do', async () => {
    const { team } = await teamWithAccesses();
    await sealAccessLog(service.app);
    await writeManyElsewhere(5_000_000);
    await writeEntry(team);
    await sealAccessLog(service.app);
    const seals = await sealsOf(team);
    expect(seals.map(({ after }: { after: { lines: number } }) => after.lines)).toEqual([1, 4]);
    expect(seals.flatMap(({ after }: { after: unknown }) => numbersIn(after))).toEqual([1, 4]);
    expect(seals[0].after.after).toBe(seals[1].after.to);
    expect(await verificationFault(team)).toBeUndefined();
    // A digest over known lines and a number is an oracle for the number.
    const { rows } = await service.ownerPool.query(
      `select d.digest from access_log_seal s, aliquot_access_digest(s.team_id, s.environment, 0, s.sealed_to) d
        where s.team_id = $1`,
      [team.tenant.teamId],
    );
    expect(seals.map(({ after }: { after: { digest: string } }) => after.digest)).not.toContain(
      rows[0].digest,
    );
  });

  it('of the same positions look different to each tenant', async () => {
    const [first, second] = [await service.team(), await service.team()];
    await writeEntry(first);
    await writeEntry(second);
    await sealAccessLog(service.app);
    const [one, other] = [(await sealsOf(first))[0].after, (await sealsOf(second))[0].after];
    expect(one.after).not.toBe(other.after);
    expect(one.to).not.toBe(other.to);
  });

  it('of earlier versions are shown without positions, verify, and are continued', async () => {
    const { team } = await teamWithAccesses();
    await sealAsEarlierVersion(team);
    await writeEntry(team);
    await sealAsEarlierVersion(team);
    expect(await verificationFault(team)).toBeUndefined();
    await writeManyElsewhere(5_000_000);
    await writeEntry(team);
    await sealAccessLog(service.app);
    expect(await verificationFault(team)).toBeUndefined();
    const seals = await sealsOf(team);
    expect(seals.flatMap(({ after }: { after: unknown }) => numbersIn(after))).toEqual([1, 1, 4]);
    const stored = await service.ownerPool.query(
      "select after->'to' as to from audit_log where org_id = $1 and action = 'access_log.sealed' order by position",
      [team.orgId],
    );
    expect(stored.rows.map(({ to }) => typeof to)).toEqual(['number', 'number', 'string']);
    await tamper(
      'access_log',
      "update access_log set status = 0 where team_id = $1 and operation = 'getUser'",
      [team.tenant.teamId],
    );
    expect(await verificationFault(team)).toMatch(/lines of the access log were changed: sandbox of team/);
  });

  it('cannot be read with another key, which the verification reports', async () => {
    const { team } = await teamWithAccesses();
    await sealAccessLog(service.app);
    await tamper(
      'access_log_seal',
      "update access_log_seal set position_key = sha256('x') where team_id = $1",
      [team.tenant.teamId],
    );
    expect(await verificationFault(team)).toMatch(
      /the seal of the access log is unreadable: sandbox of team/,
    );
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
