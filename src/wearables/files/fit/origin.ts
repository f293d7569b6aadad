import type { Origin } from '../../readings.ts';
import { typeOfDevice } from '../origin.ts';
import { textIn, type Message, type Messages } from './messages.ts';

interface Maker {
  readonly provider: string;
  readonly name: string;
  /** Where the name of the product does not say it. */
  readonly type: string;
}

/** Manufacturers of the FIT profile whose data are those of a provider. */
// prettier-ignore
const MAKERS: Readonly<Record<string, Maker>> = {
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

/** Who wrote a FIT file: the device that made it. */
export function originOfFit(messages: Messages): Origin {
  const [file] = messages('fileIdMesgs');
  const creator = messages('deviceInfoMesgs').find(isCreator);
  const manufacturer = textIn(file, 'manufacturer');
  const maker = MAKERS[manufacturer ?? ''];
  const model = textIn(file, 'garminProduct', 'productName', 'product') ?? textIn(creator, 'productName');
  const byName = typeOfDevice(model ?? '');
  return {
    provider: maker?.provider ?? 'manual',
    type: byName === 'unknown' ? (maker?.type ?? 'unknown') : byName,
    appId: null,
    device: {
      id: textIn(file, 'serialNumber'),
      manufacturer: maker?.name ?? manufacturer,
      model,
      version:
        textIn(creator, 'softwareVersion') ?? textIn(messages('fileCreatorMesgs')[0], 'softwareVersion'),
    },
    workout: null,
  };
}

const isCreator = ({ deviceIndex }: Message): boolean => deviceIndex === 'creator' || deviceIndex === 0;

/** The same for the same file of the same device. */
export const keyOfFit = (messages: Messages, origin: Origin, at: number): string => {
  const made = textIn(messages('fileIdMesgs')[0], 'product') ?? '0';
  return `fit-${origin.device?.id ?? made}-${at / 1000}`;
};
