import { newRandomId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import type { Origin, OriginDevice } from '../readings.ts';
import * as store from './origin-store.ts';
import type { DeviceRow } from './origin-store.ts';
import type { DeviceChange } from './stored.ts';
import { originsChange } from './stream-store.ts';

/** What is sealed of a device. */
export type DevicePrivate = OriginDevice;

const PLACE = 'wearable_device.private';

/**
 * What makes a device the same when it comes again: how the provider calls it, or else its maker and model, and the
 * app that tells of it. Null where neither is known.
 */
export function deviceName({ provider, type, appId, device }: Origin): string | null {
  if (!device) return null;
  const { id, manufacturer, model } = device;
  if (id !== null) return JSON.stringify(['device', provider, appId, id]);
  if (manufacturer === null && model === null) return null;
  return JSON.stringify(['device', provider, appId, type, manufacturer, model]);
}

/** A device as it is known, and what an origin adds to that; null where it adds nothing. What it omits stays. */
export function changedDevice(
  work: Pick<Work, 'cipher'>,
  row: Pick<DeviceRow, 'source_type' | 'private'>,
  origin: Origin,
): Known | null {
  const known = openDevice(work, row);
  const type = origin.type === 'unknown' ? row.source_type : origin.type;
  const said = origin.device;
  const device: DevicePrivate = {
    id: said?.id ?? known.id,
    manufacturer: said?.manufacturer ?? known.manufacturer,
    model: said?.model ?? known.model,
    version: said?.version ?? known.version,
  };
  const names = ['id', 'manufacturer', 'model', 'version'] as const;
  const isSame = type === row.source_type && names.every((name) => device[name] === known[name]);
  return isSame ? null : { type, device };
}

interface Known {
  readonly type: string;
  readonly device: DevicePrivate;
}

/** The device of an origin, made or brought to what is known now; the user's lock is held. */
export async function deviceIn(work: Work, userId: string, origin: Origin): Promise<FoundDevice | null> {
  const name = deviceName(origin);
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
    return { id: made.id, change: { change: 'created', device: viewDevice(work, made) } };
  }
  const changed = changedDevice(work, row, origin);
  if (!changed) return { id: row.id, change: null };
  const sealed = work.cipher.seal(JSON.stringify(changed.device), PLACE);
  await store.updateDevice(work, row.id, { source_type: changed.type, private: sealed });
  originsChange(work, userId);
  const device = viewDevice(work, { ...row, source_type: changed.type, private: sealed });
  return { id: row.id, change: { change: 'updated', device } };
}

interface FoundDevice {
  readonly id: string;
  readonly change: DeviceChange | null;
}

const openDevice = ({ cipher }: Pick<Work, 'cipher'>, row: Pick<DeviceRow, 'private'>): DevicePrivate =>
  JSON.parse(cipher.open(row.private, PLACE));

/** The device as callers see it. */
export function viewDevice(work: Pick<Work, 'cipher'>, row: DeviceRow): DeviceChange['device'] {
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
