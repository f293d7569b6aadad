import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { describeProvider } from '../../readings/readings.ts';
import { listDevices, findDevice } from '../samples/samples.ts';
import * as store from './store.ts';

/** The devices of a user, oldest first. */
export const listUserDevices = async (work: Work, userId: string) =>
  listDevices(work, (await getUser(work, userId)).id);

export async function getUserDevice(work: Work, { userId, deviceId }: { userId: string; deviceId: string }) {
  const { id } = await getUser(work, userId);
  return requireFound(await findDevice(work, id, deviceId), 'Device');
}

/** The devices of a user in the older format. `data` is the stored device, because no raw payload is kept. */
export async function listRawDevices(
  work: Work,
  { userId, query }: { userId: string; query: { readonly provider: string } },
) {
  const all = await listUserDevices(work, userId);
  const sources = await store.findSourcesOfDevices(work, userId);
  const wanted = all.filter(({ provider }) => query.provider === '' || provider === query.provider);
  const devices = wanted.map(({ id, user_id, provider, ...data }) => ({
    id,
    user_id,
    provider_id: data.device_id ?? '',
    source_id: sources.get(id) ?? 0,
    source: describeProvider(provider),
    data,
  }));
  return { devices };
}
