import { LRUCache } from 'lru-cache';
import { lookUpCounted } from './cache-lookups.ts';
import { later, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { TenantCipher } from './crypto/cipher.ts';
import type { Keyring } from './crypto/keyring.ts';
import type { Tx } from './db/database.ts';
import { deferStatement, executeStatement, forkScope } from './db/transaction-connection.ts';
import { deferrableCall, type DeferrableStatement } from './db/deferred.ts';
import { READER_STATEMENT, type ReaderOpening } from './db/driver.ts';
import { execute, transact, RetryTransactionError, type Db } from './db/transact.ts';
import type { Notifier, Wakeup } from './jobs/notifier.ts';
import type { Log } from './log.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { publicUrl } from './public-url.ts';
import type { Tenant } from './tenant.ts';

/** What the platform provides to every module. `App` adds the external systems. */
export interface Platform {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly log: Log;
  readonly notifier: Notifier;
  readonly telemetry: Telemetry;
}

/** One unit of work: one transaction, one tenant, one timestamp. */
export interface Work {
  readonly tx: Tx;
  readonly tenant: Tenant;
  /** The current time of the tenant: the system time, shifted by the team's sandbox clock offset. */
  readonly now: Date;
  /** Offset of the tenant's clock from the system clock, in milliseconds; 0 in production. */
  readonly clockOffsetMs: number;
  /** Encrypts and decrypts the private columns of this tenant. */
  readonly cipher: TenantCipher;
  /** The wakeups to send if, and only if, this work commits. */
  readonly wakeups: Set<Wakeup>;
  /** The public base URL of this service, without a path. */
  readonly publicUrl: string;
  /** The x-request-id of the request that this work serves. Set by what serves it. */
  requestId?: string | undefined;
}

/**
 * Defers a statement until the next one, or until the commit: for writes whose result is not needed. Deferred
 * statements keep their order. If one fails, the work is rolled back.
 */
export const defer = ({ tx }: Work, statement: DeferrableStatement): void => deferStatement(tx, statement);

/** Runs `run` in a transaction that can read and write the rows of one tenant only. */
export const inTenant = <T>(app: Platform, tenant: Tenant, run: (work: Work) => Promise<T>): Promise<T> =>
  runTenantWork(app, tenant, { readOnly: false, run });

/** The same, read-only: the database refuses writes. */
export const readTenant = <T>(app: Platform, tenant: Tenant, run: (work: Work) => Promise<T>): Promise<T> =>
  runTenantWork(app, tenant, { readOnly: true, run });

interface TenantWorkOptions<T> {
  readOnly: boolean;
  run: (work: Work) => Promise<T>;
}

async function runTenantWork<T>(
  app: Platform,
  tenant: Tenant,
  { readOnly, run }: TenantWorkOptions<T>,
): Promise<T> {
  const cipher = app.keyring.cachedCipherOf(tenant) ?? (await app.keyring.cipherOf(tenant));
  const wakeups = new Set<Wakeup>();
  let known: number | undefined;
  const opening = () => {
    known = cachedOffset(tenant);
    if (known === undefined)
      return { statements: () => `${setTenantStatements(tenant)};${READ_OFFSET}`, readOnly };
    const statements = () => setTenantStatements(tenant);
    return readOnly
      ? { statements, readOnly, preface: readerStatement(tenant) }
      : { statements, readOnly, call: setTenantCall(tenant) };
  };
  const value = await transact(app.db, opening, async ({ tx, row }) => {
    const asked = known === undefined ? row : undefined;
    const assumed = known ?? offsetIn(await row);
    wakeups.clear();
    const carried = { tx, tenant, cipher, wakeups, publicUrl: publicUrl(app.config, '') };
    const work = new TimedWork(carried, app.clock.now(), assumed);
    const isInDoubt = () => asked !== undefined || (work.timeWasUsed && tenant.environment === 'sandbox');
    const ask = () => confirmOffset(tenant, assumed, asked ?? readOffset(tx, tenant));
    try {
      const result = await run(work);
      if (!isInDoubt()) return result;
      if (asked || readOnly) await ask();
      else confirmWithCommit(tx, tenant, assumed);
      return result;
    } catch (error) {
      // A failure at the wrong time may be a success at the right one.
      if (isInDoubt() && !(error instanceof RetryTransactionError)) await ask();
      throw error;
    }
  });
  for (const ring of wakeups) app.notifier.notify(ring);
  return value;
}

/** A work with an assumed clock offset. It records whether the time was used. */
class TimedWork implements Work {
  readonly tx: Tx;
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly wakeups: Set<Wakeup>;
  readonly publicUrl: string;
  readonly #now: Date;
  readonly #offsetMs: number;
  requestId?: string | undefined;
  timeWasUsed = false;

  constructor(
    { tx, tenant, cipher, wakeups, publicUrl: base }: Omit<Work, 'now' | 'clockOffsetMs'>,
    systemNow: Date,
    offsetMs: number,
  ) {
    this.tx = tx;
    this.tenant = tenant;
    this.cipher = cipher;
    this.wakeups = wakeups;
    this.publicUrl = base;
    this.#now = offsetMs === 0 ? systemNow : later(systemNow, offsetMs);
    this.#offsetMs = offsetMs;
  }
  get now(): Date {
    this.timeWasUsed = true;
    return this.#now;
  }
  get clockOffsetMs(): number {
    this.timeWasUsed = true;
    return this.#offsetMs;
  }
}

/** A part of a work: the same, except that it sends by its own connection scope. */
class NestedWork implements Work {
  readonly #whole: Work;
  readonly tx: Tx;
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly wakeups: Set<Wakeup>;
  readonly publicUrl: string;

  constructor(whole: Work, tx: Tx) {
    this.#whole = whole;
    this.tx = tx;
    this.tenant = whole.tenant;
    this.cipher = whole.cipher;
    this.wakeups = whole.wakeups;
    this.publicUrl = whole.publicUrl;
  }
  get now(): Date {
    return this.#whole.now;
  }
  get clockOffsetMs(): number {
    return this.#whole.clockOffsetMs;
  }
  get requestId(): string | undefined {
    return this.#whole.requestId;
  }
}

/** Runs a part of a work. Once the part ends or fails, no code of it that still runs can query the database. */
export async function runNested<T>(work: Work, run: (part: Work) => Promise<T>): Promise<T> {
  const { tx, end } = forkScope(work.tx);
  try {
    return await run(new NestedWork(work, tx));
  } finally {
    end();
  }
}

const OFFSETS_MAX = 20_000;
/** Cached clock offsets of sandbox teams. */
const offsets = new LRUCache<string, number>({ max: OFFSETS_MAX });
const READ_OFFSET = 'SELECT clock_offset_ms FROM team_environment';

/** Uses parameters, so that a reader can send it as a single statement. */
async function readOffset(tx: Tx, { teamId }: Tenant): Promise<Record<string, unknown> | undefined> {
  const { rows } = await executeStatement<Record<string, unknown>>(tx, {
    sql: `${READ_OFFSET} WHERE team_id = $1`,
    parameters: [teamId],
  });
  return rows[0];
}

const cachedOffset = ({ teamId, environment }: Tenant): number | undefined =>
  environment === 'production' ? 0 : lookUpCounted('clock_offset', offsets, teamId);

/**
 * The work began with a cached clock offset, so as not to wait for a query. If the team has moved its clock since, the
 * work is rolled back and run again with the right offset.
 */
async function confirmOffset(
  { teamId }: Tenant,
  assumed: number,
  row: Promise<Record<string, unknown> | undefined>,
): Promise<void> {
  const actual = await row.then(offsetIn, () => assumed);
  offsets.set(teamId, actual);
  if (actual !== assumed) throw new RetryTransactionError('The clock of the team was moved');
}

const CONFIRM_OFFSET = `SELECT aliquot_try_again() FROM team_environment
  WHERE team_id = $1 AND environment = $2 AND clock_offset_ms <> $3`;

/** The same for a finished write: it is checked with the commit, which fails if the offset was wrong. */
const confirmWithCommit = (tx: Tx, { teamId, environment }: Tenant, assumed: number): void =>
  deferStatement(tx, {
    compile: () => ({
      sql: CONFIRM_OFFSET,
      parameters: [teamId, environment, assumed],
      failed: () => offsets.delete(teamId),
    }),
  });

/**
 * Continues as a tenant inside a system transaction: for creating the first rows of a new tenant and for deleting those
 * of a removed one. The transaction stays the tenant's until it ends.
 */
export async function enterTenant<T>(
  app: Platform,
  { clockOffsetMs, ...entered }: Pick<Work, 'tx' | 'tenant' | 'cipher' | 'clockOffsetMs'>,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  const { tx, tenant } = entered;
  await execute(tx, 'SET LOCAL ROLE aliquot_tenant');
  for (const statement of setTenantStatements(tenant).split(';')) await execute(tx, statement);
  const wakeups = new Set<Wakeup>();
  const now = later(app.clock.now(), clockOffsetMs);
  return run({ ...entered, now, clockOffsetMs, wakeups: wakeups, publicUrl: publicUrl(app.config, '') });
}

const readerStatement = ({ teamId, environment }: Tenant): ReaderOpening => ({
  name: READER_STATEMENT,
  values: [teamId, environment],
});

const SET_TENANT = "set_config('aliquot.team_id', ?, true),set_config('aliquot.environment', ?, true)";

/** Equivalent to `setTenantStatements`. */
const setTenantCall = ({ teamId, environment }: Tenant): DeferrableStatement =>
  deferrableCall(SET_TENANT, teamId, environment === 'sandbox' ? 'sandbox' : 'production');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The tenant is interpolated into SQL, so it is validated here regardless of the caller. */
function setTenantStatements({ teamId, environment }: Tenant): string {
  if (!UUID.test(teamId)) throw new Error('Expected a team id that is a lower-case UUID');
  const place = environment === 'sandbox' ? 'sandbox' : 'production';
  return `SET LOCAL aliquot.team_id='${teamId}';SET LOCAL aliquot.environment='${place}'`;
}

function offsetIn(row: Record<string, unknown> | undefined): number {
  const offset = row?.['clock_offset_ms'];
  return typeof offset === 'number' ? offset : 0;
}
