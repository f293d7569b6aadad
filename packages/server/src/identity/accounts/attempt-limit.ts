import { createHmac } from 'node:crypto';
import type { App } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { networkOfAddress } from '../../platform/network-of-address.ts';
import { countAttempts, forgetAttempts } from './password-store.ts';

const WINDOW_MS = 15 * MINUTE;

/** Attempts within 15 minutes. One network may lock an account for itself only; many together, for everybody. */
const LIMITS = { accountFromNetwork: 10, network: 100, account: 100 } as const;

interface AttemptReference {
  /** The e-mail address or member id that is tried. */
  readonly account: string;
  readonly address: string;
}

const keysOf = ({ keyring }: App, { account, address }: AttemptReference) => {
  const network = networkOfAddress(address);
  const keyOf = (...parts: string[]) =>
    createHmac('sha256', keyring.derive('sign-in-attempts')).update(JSON.stringify(parts)).digest();
  return {
    accountFromNetwork: keyOf('account', account, network),
    network: keyOf('network', network),
    account: keyOf('account', account),
  };
};

/**
 * Counts an attempt before it is made, on all nodes together, so that no number of concurrent ones exceeds a limit. 429
 * over a limit, whether or not the account exists.
 */
export async function recordAttempt(app: App, attempt: AttemptReference): Promise<void> {
  const now = app.clock.now();
  const keys = keysOf(app, attempt);
  const since = later(now, -WINDOW_MS);
  const rows = await asSystem(app.db, (tx) => countAttempts(tx, Object.values(keys), { now, since }));
  const exceeded = rows.filter(({ key, count }) =>
    (['accountFromNetwork', 'network', 'account'] as const).some(
      (name) => keys[name].equals(key) && count > LIMITS[name],
    ),
  );
  if (exceeded.length === 0) return;
  const leftMs = Math.max(
    ...exceeded.map(({ started_at: begun }) => WINDOW_MS - (now.getTime() - begun.getTime())),
  );
  throw new DomainError(
    'too_many',
    'Too many attempts to sign in: try again later',
    Math.max(1, Math.ceil(leftMs / SECOND)),
  );
}

/** After a success: the attempts at the account from this network no longer count. */
export async function forgetRecordedAttempts(app: App, attempt: AttemptReference): Promise<void> {
  const { accountFromNetwork, account } = keysOf(app, attempt);
  const since = later(app.clock.now(), -WINDOW_MS);
  await asSystem(app.db, (tx) => forgetAttempts(tx, [accountFromNetwork, account], since));
}
