import { randomBytes } from 'node:crypto';
import { DAY, HOUR, later } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import * as store from './store.ts';
import { digestOf } from './tickets.ts';

const LIFE_MS = HOUR;
const LIFE_MAX_MS = DAY;

/**
 * A short code by which the app of a user can begin, as somebody types or scans it. The scheme of its address is that of
 * the apps that there are.
 */
export async function createCode(
  work: Work,
  region: string,
  { user_id, expires_at }: { user_id: string; expires_at?: string | null | undefined },
): Promise<{ code: string; exchange_url: string; expires_at: Date }> {
  const user = await getUser(work, user_id);
  const until = expires_at == null ? later(work.now, LIFE_MS) : new Date(expires_at);
  if (until <= work.now || until > later(work.now, LIFE_MAX_MS)) {
    throw invalidField(['query', 'expires_at'], 'expected a moment within the next day');
  }
  const kind = work.tenant.environment === 'sandbox' ? 'sk' : 'pk';
  const code = `${kind}${region}${randomBytes(4).toString('hex')}`;
  await store.insertCode(work, { digest: digestOf(code), user_id: user.id, expires_at: until });
  return { code, exchange_url: `tryvital://tryvital?code=${code}`, expires_at: until };
}
