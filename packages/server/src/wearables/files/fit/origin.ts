import type { ReadingOrigin } from '../../../readings/readings.ts';
import { detectDeviceType } from '../origin.ts';
import { getText, type FitMessage, type FitMessages } from './messages.ts';

interface FitManufacturer {
  readonly provider: string;
  readonly name: string;
  /** Used if the product name does not determine the type. */
  readonly type: string;
}

/** Manufacturers of the FIT profile, and the providers that they belong to. */
// prettier-ignore
const MANUFACTURERS: Readonly<Record<string, FitManufacturer>> = {
  garmin:        { provider: 'garmin',     name: 'Garmin',     type: 'watch' },
  dynastream:    { provider: 'garmin',     name: 'Garmin',     type: 'watch' },
  wahooFitness:  { provider: 'wahoo',      name: 'Wahoo',      type: 'exercise_machine' },
  zwift:         { provider: 'zwift',      name: 'Zwift',      type: 'app' },
  zwiftByte:     { provider: 'zwift',      name: 'Zwift',      type: 'app' },
  hammerhead:    { provider: 'hammerhead', name: 'Hammerhead', type: 'exercise_machine' },
  strava:        { provider: 'strava',     name: 'Strava',     type: 'app' },
  polarElectro:  { provider: 'polar',      name: 'Polar',      type: 'watch' },
  peloton:       { provider: 'peloton',    name: 'Peloton',    type: 'exercise_machine' },
  suunto:        { provider: 'manual',     name: 'Suunto',     type: 'watch' },
  coros:         { provider: 'manual',     name: 'Coros',      type: 'watch' },
};

/** The device that created a FIT file. */
export function readFitOrigin(messages: FitMessages): ReadingOrigin {
  const [file] = messages('fileIdMesgs');
  const creator = messages('deviceInfoMesgs').find(isCreator);
  const manufacturer = getText(file, 'manufacturer');
  const maker = MANUFACTURERS[manufacturer ?? ''];
  const model = getText(file, 'garminProduct', 'productName', 'product') ?? getText(creator, 'productName');
  const byName = detectDeviceType(model ?? '');
  return {
    provider: maker?.provider ?? 'manual',
    type: byName === 'unknown' ? (maker?.type ?? 'unknown') : byName,
    appId: null,
    device: {
      id: getText(file, 'serialNumber'),
      manufacturer: maker?.name ?? manufacturer,
      model,
      version:
        getText(creator, 'softwareVersion') ?? getText(messages('fileCreatorMesgs')[0], 'softwareVersion'),
    },
    workout: null,
  };
}

const isCreator = ({ deviceIndex }: FitMessage): boolean => deviceIndex === 'creator' || deviceIndex === 0;

/** Stable for the same file of the same device. */
export const createFitKey = (messages: FitMessages, origin: ReadingOrigin, at: number): string => {
  const made = getText(messages('fileIdMesgs')[0], 'product') ?? '0';
  return `fit-${origin.device?.id ?? made}-${at / 1000}`;
};
