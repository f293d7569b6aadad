import { createHmac } from 'node:crypto';
import type { App } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { networkOfAddress } from '../../platform/network-of-address.ts';
import { countAttempts, forgetAttempts } from './password-store.ts';

const WINDOW_MS = 15 * MINUTE;

/**
 * Attempts within 15 minutes. One network may lock an account for itself only; many together, for everybody. A link has
 * no account to be guessed at.
 */
const LIMITS = {
  password: { accountFromNetwork: 10, network: 100, account: 100 },
  link: { network: 30 },
  invite: { network: 30 },
  // There is nothing to guess; each attempt stores a challenge.
  passkey: { network: 300 },
  'single-sign-on': { network: 300 },
  // A guess is right with a probability of three in a million, and who guesses here knows the password.
  'second-factor': { accountFromNetwork: 5, network: 100, account: 20 },
  // Each attempt may send a mail.
  'email-change': { accountFromNetwork: 5, network: 30, account: 10 },
  'password-reset': { accountFromNetwork: 3, network: 30, account: 10 },
} as const;

type AttemptKind = keyof typeof LIMITS;
type AttemptLimit = 'accountFromNetwork' | 'network' | 'account';

interface AttemptReference {
  readonly kind: AttemptKind;
  /** The e-mail address or member id that is tried. */
  readonly account?: string;
  readonly address: string;
}

interface LimitedKey {
  readonly name: AttemptLimit;
  readonly key: Buffer;
  readonly most: number;
}

function keysOf({ keyring }: App, { kind, account = '', address }: AttemptReference): LimitedKey[] {
  const network = networkOfAddress(address);
  const parts = { accountFromNetwork: [account, network], network: [network], account: [account] };
  const limits: Partial<Record<AttemptLimit, number>> = LIMITS[kind];
  return (['accountFromNetwork', 'network', 'account'] as const).flatMap((name) => {
    const most = limits[name];
    if (most === undefined) return [];
    const text = JSON.stringify([kind, name, ...parts[name]]);
    const key = createHmac('sha256', keyring.derive('sign-in-attempts')).update(text).digest();
    return [{ name, key, most }];
  });
}

/**
 * Counts an attempt before it is made, on all nodes together, so that no number of concurrent ones exceeds a limit. 429
 * over a limit, whether or not the account exists.
 */
export async function recordAttempt(app: App, attempt: AttemptReference): Promise<void> {
  const now = app.clock.now();
  const keys = keysOf(app, attempt);
  const since = later(now, -WINDOW_MS);
  const every = keys.map(({ key }) => key);
  const rows = await asSystem(app.db, (tx) => countAttempts(tx, every, { now, since }));
  const exceeded = rows.filter(({ key: counted, count }) =>
    keys.some(({ key, most }) => key.equals(counted) && count > most),
  );
  if (exceeded.length === 0) return;
  const leftMs = Math.max(
    ...exceeded.map(({ started_at: begun }) => WINDOW_MS - (now.getTime() - begun.getTime())),
  );
  throw new DomainError(
    'too_many',
    'Too many attempts: try again later',
    Math.max(1, Math.ceil(leftMs / SECOND)),
  );
}

/** After a success: the attempts at the account from this network no longer count. */
export async function forgetRecordedAttempts(app: App, attempt: AttemptReference): Promise<void> {
  const keys = keysOf(app, attempt)
    .filter(({ name }) => name !== 'network')
    .map(({ key }) => key);
  const since = later(app.clock.now(), -WINDOW_MS);
  await asSystem(app.db, (tx) => forgetAttempts(tx, keys, since));
}

/**
 * Runs an attempt at the token of an invite. 429 after too many wrong ones from one network: a right one, which can be
 * used once only, ends the counting.
 */
export async function limitInviteGuesses<T>(
  app: App,
  address: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const from = { kind: 'invite' as const, address };
  await recordAttempt(app, from);
  const outcome = await attempt();
  const since = later(app.clock.now(), -WINDOW_MS);
  const keys = keysOf(app, from).map(({ key }) => key);
  await asSystem(app.db, (tx) => forgetAttempts(tx, keys, since));
  return outcome;
}
