import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { providerNamed } from '../providers.ts';
import { devicesOf, findDevice } from '../samples/samples.ts';
import * as store from './store.ts';

/** The devices of a user, the oldest first. */
export const listUserDevices = async (work: Work, userId: string) =>
  devicesOf(work, (await getUser(work, userId)).id);

export async function getUserDevice(work: Work, { userId, deviceId }: { userId: string; deviceId: string }) {
  const { id } = await getUser(work, userId);
  return found(await findDevice(work, id, deviceId), 'Device');
}

/** The devices of a user in the older form; what a provider said of one is what we know of it. */
export async function listRawDevices(
  work: Work,
  { userId, query }: { userId: string; query: { readonly provider: string } },
) {
  const all = await listUserDevices(work, userId);
  const sources = await store.sourcesOfDevices(work, userId);
  const wanted = all.filter(({ provider }) => query.provider === '' || provider === query.provider);
  const devices = wanted.map(({ id, user_id, provider, ...data }) => ({
    id,
    user_id,
    provider_id: data.device_id ?? '',
    source_id: sources.get(id) ?? 0,
    source: providerNamed(provider),
    data,
  }));
  return { devices };
}
