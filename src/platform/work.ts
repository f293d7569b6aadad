import { LRUCache } from 'lru-cache';
import { later, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { TenantCipher } from './crypto/cipher.ts';
import type { Keyring } from './crypto/keyring.ts';
import type { Tx } from './db/database.ts';
import { deferOn, executeOn, partOf } from './db/hand.ts';
import { callOf, type Deferrable } from './db/deferred.ts';
import { READER } from './db/open.ts';
import type { Preface } from './db/statement.ts';
import { execute, transact, TryAgain, type Db } from './db/transact.ts';
import type { Bell, Ring } from './jobs/bell.ts';
import type { Log } from './log.ts';
import { publicUrl } from './public-url.ts';
import type { Tenant } from './tenant.ts';

/** What the platform gives to every slice. `App` adds the outside systems. */
export interface Platform {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly log: Log;
  readonly bell: Bell;
}

/** One piece of work: one transaction, one tenant, one moment. */
export interface Work {
  readonly tx: Tx;
  readonly tenant: Tenant;
  /** The tenant's moment: the clock's, moved by as much as the team has moved its sandbox. */
  readonly now: Date;
  /** How far the tenant's clock is ahead of the system's, in milliseconds; 0 in production. */
  readonly clockOffsetMs: number;
  /** Seals and opens the private columns of this tenant. */
  readonly cipher: TenantCipher;
  /** Who is to be woken when, and only when, this work is committed. */
  readonly rings: Set<Ring>;
  /** Where this service is reached from outside, without a path: addresses in what is told begin with it. */
  readonly publicUrl: string;
}

/**
 * Lets a statement of this work go out with the next one, or with the commit: for writes whose answer nobody needs.
 * They keep their order, and one that fails undoes the work.
 */
export const defer = ({ tx }: Work, statement: Deferrable): void => deferOn(tx, statement);

/** Runs `run` in one transaction that can see and write the rows of one tenant only. */
export const inTenant = <T>(app: Platform, tenant: Tenant, run: (work: Work) => Promise<T>): Promise<T> =>
  tenantWork(app, tenant, { readOnly: false, run });

/** The same for reading: the database refuses a write. */
export const readTenant = <T>(app: Platform, tenant: Tenant, run: (work: Work) => Promise<T>): Promise<T> =>
  tenantWork(app, tenant, { readOnly: true, run });

interface TenantWork<T> {
  readOnly: boolean;
  run: (work: Work) => Promise<T>;
}

async function tenantWork<T>(app: Platform, tenant: Tenant, { readOnly, run }: TenantWork<T>): Promise<T> {
  const cipher = app.keyring.atHand(tenant) ?? (await app.keyring.of(tenant));
  const rings = new Set<Ring>();
  let known: number | undefined;
  const opening = () => {
    known = offsetAtHand(tenant);
    if (known === undefined) return { statements: () => `${openTenant(tenant)};${READ_OFFSET}`, readOnly };
    const statements = () => openTenant(tenant);
    return readOnly
      ? { statements, readOnly, preface: readerOf(tenant) }
      : { statements, readOnly, call: openingCall(tenant) };
  };
  const value = await transact(app.db, opening, async ({ tx, row }) => {
    const asked = known === undefined ? row : undefined;
    const assumed = known ?? offsetOf(await row);
    rings.clear();
    const carried = { tx, tenant, cipher, rings, publicUrl: publicUrl(app.config, '') };
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
      // What failed at a wrong moment may succeed at the right one.
      if (isInDoubt() && !(error instanceof TryAgain)) await ask();
      throw error;
    }
  });
  for (const ring of rings) app.bell.ring(ring);
  return value;
}

/** A work whose moment is what we believe it to be, and whether anybody built on it. */
class TimedWork implements Work {
  readonly tx: Tx;
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly rings: Set<Ring>;
  readonly publicUrl: string;
  readonly #now: Date;
  readonly #offsetMs: number;
  timeWasUsed = false;

  constructor(
    { tx, tenant, cipher, rings, publicUrl: base }: Omit<Work, 'now' | 'clockOffsetMs'>,
    systemNow: Date,
    offsetMs: number,
  ) {
    this.tx = tx;
    this.tenant = tenant;
    this.cipher = cipher;
    this.rings = rings;
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

/** A part of a work: all the same, but for the hand on the database. */
class PartOfWork implements Work {
  readonly #whole: Work;
  readonly tx: Tx;
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly rings: Set<Ring>;
  readonly publicUrl: string;

  constructor(whole: Work, tx: Tx) {
    this.#whole = whole;
    this.tx = tx;
    this.tenant = whole.tenant;
    this.cipher = whole.cipher;
    this.rings = whole.rings;
    this.publicUrl = whole.publicUrl;
  }
  get now(): Date {
    return this.#whole.now;
  }
  get clockOffsetMs(): number {
    return this.#whole.clockOffsetMs;
  }
}

/** Runs a part of a work; when it has ended, or failed, nothing of it that still runs can ask the database any more. */
export async function inPart<T>(work: Work, run: (part: Work) => Promise<T>): Promise<T> {
  const { tx, end } = partOf(work.tx);
  try {
    return await run(new PartOfWork(work, tx));
  } finally {
    end();
  }
}

const OFFSETS_MAX = 20_000;
/** How far the clocks of sandbox teams were ahead when we last looked. */
const offsets = new LRUCache<string, number>({ max: OFFSETS_MAX });
const READ_OFFSET = 'SELECT clock_offset_ms FROM team_environment';

/** With parameters, so that a reader can send it alone. */
async function readOffset(tx: Tx, { teamId }: Tenant): Promise<Record<string, unknown> | undefined> {
  const { rows } = await executeOn<Record<string, unknown>>(tx, {
    sql: `${READ_OFFSET} WHERE team_id = $1`,
    parameters: [teamId],
  });
  return rows[0];
}

const offsetAtHand = ({ teamId, environment }: Tenant): number | undefined =>
  environment === 'production' ? 0 : offsets.get(teamId);

/**
 * The work began on the clock as we knew it, so as not to wait for an answer first. If the team has moved it
 * meanwhile, nothing of the work holds: it is undone and done again at the right moment.
 */
async function confirmOffset(
  { teamId }: Tenant,
  assumed: number,
  row: Promise<Record<string, unknown> | undefined>,
): Promise<void> {
  const actual = await row.then(offsetOf, () => assumed);
  offsets.set(teamId, actual);
  if (actual !== assumed) throw new TryAgain('The clock of the team was moved');
}

const CONFIRM_OFFSET = `SELECT aliquot_try_again() FROM team_environment
  WHERE team_id = $1 AND environment = $2 AND clock_offset_ms <> $3`;

/** The same for a work that is done: nobody waits for the answer, and the commit fails with it. */
const confirmWithCommit = (tx: Tx, { teamId, environment }: Tenant, assumed: number): void =>
  deferOn(tx, {
    compile: () => ({
      sql: CONFIRM_OFFSET,
      parameters: [teamId, environment, assumed],
      failed: () => offsets.delete(teamId),
    }),
  });

/**
 * Goes on as a tenant inside a transaction of the system's: how a new tenant gets its first rows
 * together with itself, and what it has ends with it. The transaction stays the tenant's until it ends.
 */
export async function enterTenant<T>(
  app: Platform,
  { clockOffsetMs, ...entered }: Pick<Work, 'tx' | 'tenant' | 'cipher' | 'clockOffsetMs'>,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  const { tx, tenant } = entered;
  await execute(tx, 'SET LOCAL ROLE aliquot_tenant');
  for (const statement of openTenant(tenant).split(';')) await execute(tx, statement);
  const rings = new Set<Ring>();
  const now = later(app.clock.now(), clockOffsetMs);
  return run({ ...entered, now, clockOffsetMs, rings, publicUrl: publicUrl(app.config, '') });
}

const readerOf = ({ teamId, environment }: Tenant): Preface => ({
  name: READER,
  values: [teamId, environment],
});

const OPEN_TENANT = "set_config('aliquot.team_id', ?, true),set_config('aliquot.environment', ?, true)";

/** Says the same as `openTenant`. */
const openingCall = ({ teamId, environment }: Tenant): Deferrable =>
  callOf(OPEN_TENANT, teamId, environment === 'sandbox' ? 'sandbox' : 'production');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The tenant goes into the text of the statements, so it is checked here once more, whoever gave it. */
function openTenant({ teamId, environment }: Tenant): string {
  if (!UUID.test(teamId)) throw new Error('A team id is a UUID in lower case');
  const place = environment === 'sandbox' ? 'sandbox' : 'production';
  return `SET LOCAL aliquot.team_id='${teamId}';SET LOCAL aliquot.environment='${place}'`;
}

function offsetOf(row: Record<string, unknown> | undefined): number {
  const offset = row?.['clock_offset_ms'];
  return typeof offset === 'number' ? offset : 0;
}
