import type { ReadingOrigin, OriginDevice } from '../../readings/readings.ts';

/** Makers of devices and apps that files name, and the providers that they belong to. */
// prettier-ignore
const MANUFACTURERS: readonly { is: RegExp; provider: string; manufacturer: string | null }[] = [
  { is: /garmin|forerunner|fenix|fēnix|\bedge\b|vivo(active|smart|sport)|dynastream/i, provider: 'garmin', manufacturer: 'Garmin' },
  { is: /strava/i,     provider: 'strava',     manufacturer: null },
  { is: /polar/i,      provider: 'polar',      manufacturer: 'Polar' },
  { is: /wahoo|elemnt/i, provider: 'wahoo',    manufacturer: 'Wahoo' },
  { is: /zwift/i,      provider: 'zwift',      manufacturer: null },
  { is: /hammerhead|karoo/i, provider: 'hammerhead', manufacturer: 'Hammerhead' },
  { is: /peloton/i,    provider: 'peloton',    manufacturer: 'Peloton' },
  { is: /runkeeper/i,  provider: 'runkeeper',  manufacturer: null },
  { is: /mapmyrun|mapmyfitness|mapmyride/i, provider: 'map_my_fitness', manufacturer: null },
  { is: /fitbit/i,     provider: 'fitbit',     manufacturer: 'Fitbit' },
  { is: /apple (watch|health)|healthkit/i, provider: 'apple_health_kit', manufacturer: 'Apple' },
  { is: /google fit/i, provider: 'google_fit', manufacturer: null },
  { is: /samsung/i,    provider: 'samsung_health', manufacturer: 'Samsung' },
];

const TEXT_MAX = 100;
const truncate = (text: string | null): string | null => text?.slice(0, TEXT_MAX) ?? null;

/** The origin of a workout, from the device or app named in the file; provider `manual` if it is unknown. */
export function originOfManufacturer(
  maker: string | null,
  { id, version }: { id: string | null; version: string | null },
): ReadingOrigin {
  const known = maker === null ? undefined : MANUFACTURERS.find(({ is }) => is.test(maker));
  const isDevice = known?.manufacturer != null || id !== null;
  const device: OriginDevice = {
    id: truncate(id),
    manufacturer: known?.manufacturer ?? null,
    model: truncate(maker),
    version: truncate(version),
  };
  return {
    provider: known?.provider ?? 'manual',
    type: isDevice ? detectDeviceType(maker ?? '') : maker === null ? 'unknown' : 'app',
    appId: isDevice ? null : truncate(maker),
    device: isDevice ? device : null,
    workout: null,
  };
}

/** The device type, by patterns in the name. */
// prettier-ignore
const DEVICE_TYPES: readonly { is: RegExp; type: string }[] = [
  { is: /watch|forerunner|fenix|fēnix|vivo|venu|instinct|epix|vantage|grit|pacer|suunto|coros/i, type: 'watch' },
  { is: /phone|pixel|galaxy s/i, type: 'phone' },
  { is: /scale|body comp|withings body/i, type: 'scale' },
  { is: /ring\b|oura/i, type: 'ring' },
  { is: /chest|strap|hrm|\bh(7|9|10)\b|tickr/i, type: 'chest_strap' },
  { is: /airpods|earbuds/i, type: 'earphone' },
  { is: /cuff|blood pressure|omron|bp monitor/i, type: 'cuff' },
  { is: /treadmill|rower|bike trainer|kickr|peloton|concept2|ergometer/i, type: 'exercise_machine' },
  { is: /dexcom|libre/i, type: 'automatic' },
  { is: /glucose|contour|accu-?chek|onetouch/i, type: 'fingerprick' },
];

export const detectDeviceType = (words: string): string =>
  DEVICE_TYPES.find(({ is }) => is.test(words))?.type ?? 'unknown';
