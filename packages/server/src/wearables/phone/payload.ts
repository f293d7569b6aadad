import type { ReadingOrigin } from '../../readings/readings.ts';
import { SOURCE_TYPES } from '../../readings/schema.ts';
import { offsetAt } from '../../platform/time-zone.ts';
import { SECOND } from '../../platform/clock.ts';
import type { PhoneProvider } from './schema.ts';

/** A JSON object of a phone. The SDKs may add fields, so every field is read one by one, and unknown ones are ignored. */
export type PhoneItem = Readonly<Record<string, unknown>>;

/** What holds for all that one request sends. */
export interface PhoneContext {
  readonly provider: PhoneProvider;
  /** IANA name; null if the phone did not say. */
  readonly timeZone: string | null;
  readonly now: Date;
}

export const asItem = (given: unknown): PhoneItem =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as PhoneItem) : {};

export const asItems = (given: unknown): PhoneItem[] => (Array.isArray(given) ? given.map(asItem) : []);

export const textOf = (given: unknown): string | null =>
  typeof given === 'string' && given !== '' ? given : null;

export const numberOf = (given: unknown): number | null =>
  typeof given === 'number' && Number.isFinite(given) ? given : null;

export const integerOf = (given: unknown): number | null => {
  const number = numberOf(given);
  return number === null ? null : Math.round(number);
};

/** Milliseconds since 1970. */
export const momentOf = (given: unknown): number | null => {
  const at = typeof given === 'string' ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? null : at;
};

/** Field names as one SDK writes them with and the other without an underscore before a number or a capital. */
export function withPlainNames(item: PhoneItem): PhoneItem {
  const plain = (name: string) =>
    name
      .replace(/_?([A-Z])/g, '_$1')
      .replace(/([a-z])_?(\d)/g, '$1_$2')
      .toLowerCase();
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [plain(name), value]));
}

/** Seconds east of UTC; null where the zone is unknown to this system. */
export function offsetOf(zone: string | null, at: number): number | null {
  try {
    return zone === null ? null : offsetAt(zone, at) / SECOND;
  } catch {
    return null;
  }
}

/** The local day of a timestamp. */
export const dayOf = (zone: string | null, at: number): string =>
  new Date(at + (offsetOf(zone, at) ?? 0) * SECOND).toISOString().slice(0, 10);

const NAME_LENGTH_MAX = 200;
const nameOf = (given: unknown): string | null => textOf(given)?.slice(0, NAME_LENGTH_MAX) ?? null;

/** Where an item was measured: the app by its bundle, the device by its model. */
export function originOf({ provider }: PhoneContext, item: PhoneItem): ReadingOrigin {
  const { source_bundle, product_type, type, source_type } = item;
  const metadata = asItem(item['metadata']);
  const model = nameOf(product_type) ?? nameOf(metadata['_DMO']);
  const manufacturer = nameOf(metadata['_DMA']);
  const version = nameOf(metadata['_DSV']) ?? nameOf(metadata['_DFV']);
  return {
    provider,
    type: sourceTypeOf(type ?? source_type, { bundle: textOf(source_bundle), model }),
    appId: nameOf(source_bundle),
    device: model === null && manufacturer === null ? null : { id: null, manufacturer, model, version },
    workout: null,
  };
}

/** The kind of device that the SDK states, or, as it would infer it, that of Apple’s own models. */
function sourceTypeOf(
  stated: unknown,
  { bundle, model }: { bundle: string | null; model: string | null },
): string {
  const known = SOURCE_TYPES.find((name) => name === stated);
  if (known !== undefined && known !== 'unknown') return known;
  if (bundle === 'com.apple.Health') return 'app';
  const product = model?.toLowerCase() ?? '';
  if (product.startsWith('watch')) return 'watch';
  return product.startsWith('iphone') ? 'phone' : 'unknown';
}
