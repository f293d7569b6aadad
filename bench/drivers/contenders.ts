import pg from 'pg';
import postgres from 'postgres';
import type { DriverName } from '../../packages/server/src/platform/db/driver.ts';
import { READER_STATEMENT } from '../../packages/server/src/platform/db/driver.ts';
import { openPools } from '../../packages/server/src/platform/db/open.ts';
import { transact, type TransactionStart } from '../../packages/server/src/platform/db/transact.ts';
import {
  deferStatement,
  executeStatement,
} from '../../packages/server/src/platform/db/transaction-connection.ts';
import { openLog } from '../../packages/server/src/platform/log.ts';
import type { BenchStatement, RequestStatements } from './statements.ts';

/** A driver with a pool of its own. */
export interface Contender {
  readonly name: string;
  /** Reads an order: one statement of a tenant. */
  read(n: number): Promise<unknown>;
  /** Creates an order: one read, whose result is awaited, then the rows of the order, committed together. */
  create(n: number): Promise<unknown>;
  close(): Promise<unknown>;
}

const POOL = 10;
/** As the service sets them. */
const SESSION_PARAMETERS = { role: 'aliquot_tenant', jit: 'off', enable_seqscan: 'off' };
const SESSION = Object.entries(SESSION_PARAMETERS)
  .map(([name, value]) => `SET ${name}=${value}`)
  .join(';');

/** A driver of the service, used as `inTenant` and `readTenant` use it. */
export function openServiceDriver(url: string, driver: DriverName, statements: RequestStatements): Contender {
  const pools = openPools({ connectionString: url }, { size: POOL, driver }, openLog('silent'));
  const [teamId, environment] = statements.enter.values;
  const settings = () =>
    `SET LOCAL aliquot.team_id='${String(teamId)}';SET LOCAL aliquot.environment='${String(environment)}'`;
  const reader: TransactionStart = {
    statements: settings,
    readOnly: true,
    preface: { name: READER_STATEMENT, values: statements.enter.values },
  };
  const writer: TransactionStart = { statements: settings, call: toDeferrable(statements.enter) };
  return {
    name: driver,
    read: (n) =>
      transact(
        pools.db,
        () => reader,
        ({ tx }) => executeStatement(tx, toText(statements.read(n))),
      ),
    create: (n) =>
      transact(
        pools.db,
        () => writer,
        async ({ tx }) => {
          await executeStatement(tx, toText(statements.read(n)));
          for (const statement of statements.write()) deferStatement(tx, toDeferrable(statement));
        },
      ),
    close: () => pools.close(),
  };
}

const toText = ({ text, values }: BenchStatement) => ({ sql: text, parameters: values });
const toDeferrable = (statement: BenchStatement) => ({ compile: () => toText(statement) });

/** `pg` as most services use it: each statement is awaited. */
export function openPg(url: string, statements: RequestStatements): Contender {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL,
    onConnect: async (client) => void (await client.query(SESSION)),
  });
  pool.on('error', () => {});
  const run = async (begin: string, each: (client: pg.PoolClient) => Promise<unknown>) => {
    const client = await pool.connect();
    try {
      await client.query(begin);
      await client.query({ ...statements.enter, values: [...statements.enter.values] });
      const result = await each(client);
      await client.query('COMMIT');
      return result;
    } finally {
      client.release();
    }
  };
  const query = (client: pg.PoolClient, statement: BenchStatement) =>
    client.query({ ...statement, values: [...statement.values] });
  return {
    name: 'pg',
    read: (n) => run('BEGIN READ ONLY', (client) => query(client, statements.read(n))),
    create: (n) =>
      run('BEGIN', async (client) => {
        await query(client, statements.read(n));
        for (const statement of statements.write()) await query(client, statement);
      }),
    close: () => pool.end(),
  };
}

/** `postgres`, which pipelines on its own: as few waits as it allows, on a reserved connection. */
export function openPostgres(url: string, statements: RequestStatements): Contender {
  const sql = postgres({ ...serverOf(url), max: POOL, onnotice: () => {}, connection: SESSION_PARAMETERS });
  const run = async (begin: string, each: (send: SendStatement) => Promise<unknown>) => {
    const client = await sql.reserve();
    try {
      const send: SendStatement = ({ text, values }) =>
        client.unsafe(text, values as postgres.ParameterOrJSON<never>[], { prepare: true }).execute();
      const opening = [client.unsafe(begin).execute(), send(statements.enter)];
      const result = await each(send);
      await Promise.all([...opening, client.unsafe('COMMIT').execute()]);
      return result;
    } finally {
      client.release();
    }
  };
  return {
    name: 'postgres',
    read: (n) => run('BEGIN READ ONLY', (send) => send(statements.read(n))),
    create: (n) =>
      run('BEGIN', async (send) => {
        await send(statements.read(n));
        return Promise.all(statements.write().map(send));
      }),
    close: () => sql.end(),
  };
}

/** `postgres` does not take the folder of a socket from a URL. */
function serverOf(url: string): postgres.Options<Record<string, never>> {
  const { hostname, port, pathname, username, password, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  return {
    host: hostname,
    port: Number(port || 5432),
    database: pathname.slice(1),
    username,
    password: decodeURIComponent(password),
    ...(folder === null ? {} : { path: `${folder}/.s.PGSQL.${port || 5432}` }),
  };
}

type SendStatement = (statement: BenchStatement) => Promise<unknown>;
