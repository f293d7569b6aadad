import type pg from 'pg';
import { systemClock } from '../platform/clock.ts';
import { compareMigrations } from '../platform/db/migrate.ts';
import {
  describeIncompatibility,
  readSchemaVersion,
  schemaReleaseOf,
} from '../platform/db/schema-version.ts';
import { DatabaseStoppedError, type DatabaseConnection } from './database-connection.ts';
import { reasonOf, type Check, type DiagnosisContext, type Finding } from './finding.ts';

const SKEW_WARNING_MS = 2_000;
/** One-time codes and signatures of webhooks are refused beyond about this. */
const SKEW_PROBLEM_MS = 30_000;
const OLDEST_SERVER = 150_000;

/** Each look at the database once it is reached. */
type DatabaseCheck = (found: DatabaseConnection, context: DiagnosisContext) => Promise<Finding>;

const LOOKS: readonly DatabaseCheck[] = [checkServer, checkRights, checkSchema, checkConnections, checkClock];

export const databaseChecks: readonly Check[] = [
  {
    subject: 'database',
    run: async (context) => {
      const reached = await context.database().catch((error: unknown) => describeUnreachable(context, error));
      if ('state' in reached) return [reached];
      const findings: Finding[] = [];
      for (const look of LOOKS) findings.push(await look(reached, context));
      return findings;
    },
  },
];

function describeUnreachable({ config }: DiagnosisContext, error: unknown): Finding {
  const subject = 'database';
  if (error instanceof DatabaseStoppedError)
    return { subject, state: 'not used', detail: 'the embedded database is stopped, as the service is' };
  return {
    subject,
    state: 'problem',
    detail: reasonOf(error),
    advice:
      config.DATABASE_URL === undefined
        ? 'Wait until the service has started, then run this command again.'
        : 'Check host, port, user and password of DATABASE_URL, and that the server accepts connections from this machine.',
  };
}

async function queryOne<T extends pg.QueryResultRow>(pool: pg.Pool, text: string): Promise<T> {
  const { rows } = await pool.query<T>(text);
  const [row] = rows;
  if (!row) throw new Error('The database returned no row');
  return row;
}

async function checkServer({ pool, isEmbedded }: DatabaseConnection): Promise<Finding> {
  const { version, name, encoding } = await queryOne<{ version: number; name: string; encoding: string }>(
    pool,
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
       current_setting('server_encoding') as encoding`,
  );
  const subject = 'database';
  const detail = `${isEmbedded ? 'embedded ' : ''}PostgreSQL ${name}, ${encoding}`;
  if (version < OLDEST_SERVER)
    return { subject, state: 'problem', detail, advice: 'Upgrade the server to PostgreSQL 15 or newer.' };
  if (encoding !== 'UTF8')
    return {
      subject,
      state: 'problem',
      detail,
      advice: 'Create the database with the encoding UTF8: names of people do not fit into another one.',
    };
  return { subject, state: 'ok', detail };
}

/** Row-level security is that of two roles, which the owner makes at the first start and then acts as. */
async function checkRights({ pool }: DatabaseConnection): Promise<Finding> {
  const found = await queryOne<{
    user: string;
    can_create_roles: boolean;
    can_create: boolean;
    roles: number;
    acts_as: number;
  }>(
    pool,
    `select current_user as user, r.rolsuper or r.rolcreaterole as can_create_roles,
       has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as can_create,
       (select count(*)::int from pg_roles where rolname in ('aliquot_tenant', 'aliquot_system')) as roles,
       (select count(*)::int from pg_roles
         where rolname in ('aliquot_tenant', 'aliquot_system') and pg_has_role(current_user, oid, 'member')) as acts_as
     from pg_roles r where r.rolname = current_user`,
  );
  const subject = 'database rights';
  const lacks = [
    ...(found.can_create ? [] : ['may not create tables']),
    ...(found.roles < 2 && !found.can_create_roles ? ['may not create the roles of the service'] : []),
    ...(found.acts_as < found.roles ? ['may not act as the roles aliquot_tenant and aliquot_system'] : []),
  ];
  if (lacks.length === 0) return { subject, state: 'ok', detail: `${found.user} has what the service needs` };
  return {
    subject,
    state: 'problem',
    detail: `${found.user} ${lacks.join(', and ')}`,
    advice:
      'Let it own the database and its schema public, and give it CREATEROLE, or create the roles aliquot_tenant and aliquot_system (NOLOGIN) and grant them to it; see docs/how-to/deploy.md.',
  };
}

/** The processes of a deployment share one schema. */
async function checkSchema({ pool }: DatabaseConnection, { root }: DiagnosisContext): Promise<Finding> {
  const { version, migrations } = schemaReleaseOf(root);
  const { pending, unknown } = await compareMigrations(pool, migrations);
  const reason = describeIncompatibility(version, await readSchemaVersion(pool));
  const subject = 'database schema';
  if (unknown.length > 0 || reason !== undefined) {
    return {
      subject,
      state: reason === undefined && pending.length === 0 ? 'warning' : 'problem',
      detail: reason ?? `made by a newer version: ${unknown.at(-1)} is not known here`,
      advice:
        'Run the newer version; during an upgrade both work until the old processes are stopped. There is no way back but a backup made before.',
    };
  }
  if (pending.length > 0) {
    return {
      subject,
      state: 'warning',
      detail: `${pending.length} migrations to apply, from ${pending[0]}`,
      advice: 'Run `aliquot migrate`, or start the service, which migrates first.',
    };
  }
  return { subject, state: 'ok', detail: 'that of this version' };
}

async function checkConnections(
  { pool, isEmbedded }: DatabaseConnection,
  { config }: DiagnosisContext,
): Promise<Finding> {
  const { maximum, used } = await queryOne<{ maximum: number; used: number }>(
    pool,
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as maximum,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const subject = 'database connections';
  const detail = `${used} of ${maximum} used; DATABASE_POOL is ${config.DATABASE_POOL} for each process`;
  // Those of a running service are among the used ones, and the settings of the embedded server are ours.
  if (isEmbedded || maximum - used >= config.DATABASE_POOL) return { subject, state: 'ok', detail };
  return {
    subject,
    state: 'warning',
    detail,
    advice:
      'Another process of the service may find no connection: raise max_connections or lower DATABASE_POOL.',
  };
}

/** The difference between the clocks, to half of the time that the question took. */
async function checkClock({ pool }: DatabaseConnection): Promise<Finding> {
  const asked = systemClock.now().getTime();
  const { at } = await queryOne<{ at: number }>(
    pool,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
  );
  const answered = systemClock.now().getTime();
  return describeSkew(at - (asked + answered) / 2, (answered - asked) / 2);
}

export function describeSkew(skewMs: number, uncertaintyMs: number): Finding {
  const subject = 'clock';
  const off = Math.max(0, Math.abs(skewMs) - uncertaintyMs);
  const detail = `the database's clock is ${(off / 1000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (off < SKEW_WARNING_MS)
    return { subject, state: 'ok', detail: 'this machine and the database agree on the time' };
  const advice =
    'Synchronize the clocks of both machines (NTP): deadlines, signatures and one-time codes use them.';
  return { subject, state: off < SKEW_PROBLEM_MS ? 'warning' : 'problem', detail, advice };
}
