import type { Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users/users.ts';
import { emitHistoryEvent, emitPendingEvents } from '../ingestion/ingestion.ts';
import { PHONE_SAMPLES } from './resources.ts';
import * as store from './store.ts';

/** The resource of a name that a phone uses. */
const resourceOf = (name: string): string => PHONE_SAMPLES[name]?.resource ?? name;

interface PhoneHistory {
  readonly provider: string;
  readonly resource: string;
}

/** Records that a phone begins to send the history of a resource. One that it has sent already is not told again. */
export async function beginHistory(
  work: Work,
  userId: string,
  { provider, name, from, to }: { provider: string; name: string; from: Date; to: Date },
): Promise<void> {
  await store.insertHistory(work, userId, { provider, resource: resourceOf(name), from, to });
}

/**
 * Tells, once, that the history of a resource has arrived: also if there is none, because the app of the team waits for
 * it. `resources` are all that the requests had, such as the weights in the summary of a body.
 */
export async function endHistory(
  work: Work,
  userId: string,
  { provider, resource, resources }: PhoneHistory & { readonly resources: readonly string[] },
): Promise<void> {
  const ended = await store.endHistory(work, userId, { provider, resource });
  const user = await findUser(work, userId);
  if (ended && user) {
    const times = { start: ended.range_start, end: ended.range_end };
    await emitHistoryEvent(work, subjectOf(user), { provider, resource, ...times });
  }
  await emitPendingEvents(work, userId, { provider, resources, told: ended ? [resource] : [] });
}
