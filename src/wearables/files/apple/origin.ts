import type { Origin } from '../../readings.ts';
import { typeOfDevice } from '../origin.ts';
import { ownText } from '../report.ts';

type Attributes = Readonly<Record<string, string>>;

const KNOWN_MAX = 5000;
const TEXT_MAX = 100;

/** What made a record: the same object for the same words, so that records can be gathered by it. */
export function originReader(): (attributes: Attributes) => Origin {
  const known = new Map<string, Origin>();
  return ({ sourceName = '', sourceVersion = '', device = '' }) => {
    // Before the first comma stands where the device lay in the memory of the phone.
    const words = device.slice(device.indexOf(',') + 1);
    const name = `${sourceName}\n${sourceVersion}\n${words}`;
    const before = known.get(name);
    if (before) return before;
    if (known.size >= KNOWN_MAX) known.clear();
    const origin = originOf({ sourceName, sourceVersion, device: words });
    known.set(ownText(name, name.length), origin);
    return origin;
  };
}

const MODELS = [
  { is: /^watch/i, type: 'watch' },
  { is: /^i(phone|pod)/i, type: 'phone' },
];

function originOf({
  sourceName,
  sourceVersion,
  device,
}: {
  sourceName: string;
  sourceVersion: string;
  device: string;
}): Origin {
  const part = (name: string) => partOf(device, name);
  const hardware = part('hardware') ?? part('model') ?? '';
  const byModel = MODELS.find(({ is }) => is.test(hardware))?.type;
  const words = [part('name'), part('model'), part('manufacturer'), sourceName].join(' ');
  const type = byModel ?? typeOfDevice(words);
  const isApple = byModel !== undefined || /^apple/i.test(part('manufacturer') ?? '');
  return {
    provider: 'apple_health_kit',
    type: type === 'unknown' && !isApple ? 'app' : type,
    // The name of a phone or a watch is often that of its owner, and is not kept.
    appId: isApple || type === 'watch' || type === 'phone' ? null : ownText(sourceName, TEXT_MAX) || null,
    device:
      device === ''
        ? null
        : {
            id: part('localIdentifier') ?? part('UDIDeviceIdentifier'),
            manufacturer: part('manufacturer'),
            model: part('hardware') ?? part('model'),
            version: part('software') ?? (ownText(sourceVersion, TEXT_MAX) || null),
          },
    workout: null,
  };
}

const PARTS = [
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
const NEXT = PARTS.map((name) => `, ${name}:`);

/** A part of `name:Apple Watch, manufacturer:Apple Inc., hardware:Watch6,1>`, of which values have commas too. */
function partOf(device: string, name: string): string | null {
  const text = `, ${device.trim()}`;
  const found = text.indexOf(`, ${name}:`);
  if (found < 0) return null;
  const start = found + name.length + 3;
  const ends = NEXT.map((next) => text.indexOf(next, start)).filter((at) => at >= 0);
  const value = text.slice(start, ends.length > 0 ? Math.min(...ends) : text.length);
  return ownText(value.replace(/>+$/, '').trim(), TEXT_MAX) || null;
}
