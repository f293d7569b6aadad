import { digestToken } from '../../platform/crypto/secret-token.ts';
import { randomBytes } from 'node:crypto';
import { DAY, HOUR, later } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import * as store from './store.ts';

const CODE_LIFETIME_MS = HOUR;
const CODE_LIFETIME_MAX_MS = DAY;

/**
 * Creates a short code that a user types or scans into an app. The URL scheme is the one that existing apps register.
 */
export async function createLinkCode(
  work: Work,
  region: string,
  { user_id, expires_at }: { user_id: string; expires_at?: string | null | undefined },
): Promise<{ code: string; exchange_url: string; expires_at: Date }> {
  const user = await getUser(work, user_id);
  const until = expires_at == null ? later(work.now, CODE_LIFETIME_MS) : new Date(expires_at);
  if (until <= work.now || until > later(work.now, CODE_LIFETIME_MAX_MS)) {
    throw invalidField(['query', 'expires_at'], 'expected a timestamp within the next 24 hours');
  }
  const kind = work.tenant.environment === 'sandbox' ? 'sk' : 'pk';
  const code = `${kind}${region}${randomBytes(4).toString('hex')}`;
  await store.insertCode(work, { digest: digestToken(code), user_id: user.id, expires_at: until });
  return { code, exchange_url: `tryvital://tryvital?code=${code}`, expires_at: until };
}
