import type { ReadingOrigin } from '../../../readings/readings.ts';
import { detectDeviceType } from '../origin.ts';
import { copyText } from '../report.ts';

type AppleOriginAttributes = Readonly<Record<string, string>>;

const CACHE_MAX = 5000;
const TEXT_MAX = 100;

/** Reads the origin of a record. Equal origins are the same object, so that samples can be grouped by it. */
export function createOriginReader(): (attributes: AppleOriginAttributes) => ReadingOrigin {
  const known = new Map<string, ReadingOrigin>();
  return ({ sourceName = '', sourceVersion = '', device = '' }) => {
    // The text before the first comma is the memory address of the device object.
    const words = device.slice(device.indexOf(',') + 1);
    const name = `${sourceName}\n${sourceVersion}\n${words}`;
    const before = known.get(name);
    if (before) return before;
    if (known.size >= CACHE_MAX) known.clear();
    const origin = toOrigin({ sourceName, sourceVersion, device: words });
    known.set(copyText(name, name.length), origin);
    return origin;
  };
}

const MODELS = [
  { is: /^watch/i, type: 'watch' },
  { is: /^i(phone|pod)/i, type: 'phone' },
];

function toOrigin({
  sourceName,
  sourceVersion,
  device,
}: {
  sourceName: string;
  sourceVersion: string;
  device: string;
}): ReadingOrigin {
  const part = (name: string) => findDevicePart(device, name);
  const hardware = part('hardware') ?? part('model') ?? '';
  const byModel = MODELS.find(({ is }) => is.test(hardware))?.type;
  const words = [part('name'), part('model'), part('manufacturer'), sourceName].join(' ');
  const type = byModel ?? detectDeviceType(words);
  const isApple = byModel !== undefined || /^apple/i.test(part('manufacturer') ?? '');
  return {
    provider: 'apple_health_kit',
    type: type === 'unknown' && !isApple ? 'app' : type,
    // The name of a phone or a watch often contains its owner's name, and is not stored.
    appId: isApple || type === 'watch' || type === 'phone' ? null : copyText(sourceName, TEXT_MAX) || null,
    device:
      device === ''
        ? null
        : {
            id: part('localIdentifier') ?? part('UDIDeviceIdentifier'),
            manufacturer: part('manufacturer'),
            model: part('hardware') ?? part('model'),
            version: part('software') ?? (copyText(sourceVersion, TEXT_MAX) || null),
          },
    workout: null,
  };
}

const DEVICE_PARTS = [
  'name',
  'manufacturer',
  'model',
  'hardware',
  'firmware',
  'software',
  'localIdentifier',
  'UDIDeviceIdentifier',
  'creation date',
];
const PART_SEPARATORS = DEVICE_PARTS.map((name) => `, ${name}:`);

/** A part of `name:Apple Watch, manufacturer:Apple Inc., hardware:Watch6,1>`. Values may contain commas. */
function findDevicePart(device: string, name: string): string | null {
  const text = `, ${device.trim()}`;
  const found = text.indexOf(`, ${name}:`);
  if (found < 0) return null;
  const start = found + name.length + 3;
  const ends = PART_SEPARATORS.map((next) => text.indexOf(next, start)).filter((at) => at >= 0);
  const value = text.slice(start, ends.length > 0 ? Math.min(...ends) : text.length);
  return copyText(value.replace(/>+$/, '').trim(), TEXT_MAX) || null;
}
