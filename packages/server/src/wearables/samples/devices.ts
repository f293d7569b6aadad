import { newRandomId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import type { ReadingOrigin, OriginDevice } from '../../readings/readings.ts';
import * as store from './origin-store.ts';
import type { DeviceRow } from './origin-store.ts';
import type { DeviceChange } from './stored.ts';
import { bumpOriginsVersion } from './stream-store.ts';

/** The encrypted part of a device. */
type DeviceDetails = OriginDevice;

const PLACE = 'wearable_device.private';

/**
 * Identifies a device across ingestions: by the provider's id, or else by manufacturer and model, and by the reporting
 * app. Null if neither is known.
 */
export function getDeviceIdentity({ provider, type, appId, device }: ReadingOrigin): string | null {
  if (!device) return null;
  const { id, manufacturer, model } = device;
  if (id !== null) return JSON.stringify(['device', provider, appId, id]);
  if (manufacturer === null && model === null) return null;
  return JSON.stringify(['device', provider, appId, type, manufacturer, model]);
}

/** Merges an origin into a stored device; null if nothing changes. Fields that the origin omits are kept. */
export function mergeDevice(
  work: Pick<Work, 'cipher'>,
  row: Pick<DeviceRow, 'source_type' | 'private'>,
  origin: ReadingOrigin,
): MergedDevice | null {
  const known = openDevice(work, row);
  const type = origin.type === 'unknown' ? row.source_type : origin.type;
  const said = origin.device;
  const device: DeviceDetails = {
    id: said?.id ?? known.id,
    manufacturer: said?.manufacturer ?? known.manufacturer,
    model: said?.model ?? known.model,
    version: said?.version ?? known.version,
  };
  const names = ['id', 'manufacturer', 'model', 'version'] as const;
  const isSame = type === row.source_type && names.every((name) => device[name] === known[name]);
  return isSame ? null : { type, device };
}

interface MergedDevice {
  readonly type: string;
  readonly device: DeviceDetails;
}

/** Creates or updates the device of an origin. The user's sample lock must be held. */
export async function upsertDevice(
  work: Work,
  userId: string,
  origin: ReadingOrigin,
): Promise<UpsertedDevice | null> {
  const name = getDeviceIdentity(origin);
  if (name === null || !origin.device) return null;
  const key = work.cipher.blindIndex(name);
  const row = await store.findDevice(work, userId, key);
  if (!row) {
    const made = await store.insertDevice(work, {
      id: newRandomId(),
      user_id: userId,
      device_key: key,
      provider: origin.provider,
      source_type: origin.type,
      app_id: origin.appId,
      private: work.cipher.seal(JSON.stringify(origin.device), PLACE),
    });
    return { id: made.id, change: { change: 'created', device: toDeviceView(work, made) } };
  }
  const changed = mergeDevice(work, row, origin);
  if (!changed) return { id: row.id, change: null };
  const sealed = work.cipher.seal(JSON.stringify(changed.device), PLACE);
  await store.updateDevice(work, row.id, { source_type: changed.type, private: sealed });
  bumpOriginsVersion(work, userId);
  const device = toDeviceView(work, { ...row, source_type: changed.type, private: sealed });
  return { id: row.id, change: { change: 'updated', device } };
}

interface UpsertedDevice {
  readonly id: string;
  readonly change: DeviceChange | null;
}

const openDevice = ({ cipher }: Pick<Work, 'cipher'>, row: Pick<DeviceRow, 'private'>): DeviceDetails =>
  JSON.parse(cipher.open(row.private, PLACE));

/** A device in the format of the contract. */
export function toDeviceView(work: Pick<Work, 'cipher'>, row: DeviceRow): DeviceChange['device'] {
  const { id, manufacturer, model, version } = openDevice(work, row);
  return {
    id: row.id,
    user_id: row.user_id,
    provider: row.provider,
    source_type: row.source_type,
    app_id: row.app_id,
    device_manufacturer: manufacturer,
    device_model: model,
    device_version: version,
    device_id: id,
  };
}
