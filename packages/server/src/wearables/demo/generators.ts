import { findProvider, type ResourceName, type OriginDevice } from '../../readings/readings.ts';

import { RARE_SERIES, type RareSeries } from './rare-series.ts';

/** What the demo of a provider generates, and how often. Null: not generated. */
export interface DemoGenerator {
  /** The source type. */
  readonly type: string;
  readonly appId: string | null;
  readonly device: Omit<OriginDevice, 'id'>;
  readonly profile: boolean;
  /** Minutes between measurements, as in the other fields that end in `Minutes`. */
  readonly heartMinutes: number | null;
  readonly hrv: { readonly minutes: number; readonly byDay: boolean } | null;
  readonly breathMinutes: number | null;
  readonly oxygenMinutes: number | null;
  /** One sample per night. */
  readonly temperatureDelta: boolean;
  /** The length of a count sample, in slots of five minutes; null if there are only daily summaries. */
  readonly countSlots: number | null;
  /** Whether a phone counts in addition. */
  readonly phone: boolean;
  readonly movement: boolean;
  /** Sleep and readiness scores. */
  readonly scores: boolean;
  readonly streams: boolean;
  readonly scale: Omit<OriginDevice, 'id'> | null;
  readonly glucose: boolean;
  /** A food diary. */
  readonly meals: boolean;
  /** Electrocardiograms, menstrual cycles, and what a watch adds to a workout. */
  readonly episodes: boolean;
  readonly rare: readonly RareSeries[];
}

const EMPTY_GENERATOR: DemoGenerator = {
  type: 'unknown',
  appId: null,
  device: { manufacturer: null, model: null, version: null },
  profile: false,
  heartMinutes: null,
  hrv: null,
  breathMinutes: null,
  oxygenMinutes: null,
  temperatureDelta: false,
  countSlots: null,
  phone: false,
  movement: false,
  scores: false,
  streams: false,
  scale: null,
  glucose: false,
  meals: false,
  episodes: false,
  rare: [],
};

const toDevice = (manufacturer: string, model: string, version: string) => ({ manufacturer, model, version });

/** The providers with a demo. */
export const DEMO_GENERATORS = {
  apple_health_kit: {
    ...EMPTY_GENERATOR,
    type: 'watch',
    appId: 'com.apple.health',
    device: toDevice('Apple Inc.', 'Watch7,3', '11.4'),
    profile: true,
    heartMinutes: 5,
    hrv: { minutes: 120, byDay: true },
    breathMinutes: 15,
    oxygenMinutes: 60,
    countSlots: 1,
    phone: true,
    movement: true,
    streams: true,
    scale: toDevice('Withings', 'Body+', '1.0'),
    meals: true,
    episodes: true,
    rare: RARE_SERIES.apple_health_kit,
  },
  fitbit: {
    ...EMPTY_GENERATOR,
    type: 'watch',
    device: toDevice('Fitbit', 'Charge 6', '1.171'),
    profile: true,
    heartMinutes: 1,
    hrv: { minutes: 5, byDay: false },
    breathMinutes: 30,
    oxygenMinutes: 10,
    temperatureDelta: true,
    countSlots: 3,
    movement: true,
    scores: true,
    streams: true,
    scale: toDevice('Fitbit', 'Aria Air', '1.0'),
    meals: true,
    rare: RARE_SERIES.fitbit,
  },
  oura: {
    ...EMPTY_GENERATOR,
    type: 'ring',
    device: toDevice('Oura', 'Gen 3', '2.9'),
    profile: true,
    heartMinutes: 5,
    hrv: { minutes: 5, byDay: false },
    oxygenMinutes: 60,
    temperatureDelta: true,
    movement: true,
    scores: true,
    rare: RARE_SERIES.oura,
  },
  freestyle_libre: {
    ...EMPTY_GENERATOR,
    type: 'automatic',
    device: toDevice('Abbott', 'FreeStyle Libre 3', '3.6'),
    glucose: true,
    rare: RARE_SERIES.freestyle_libre,
  },
} as const satisfies Readonly<Record<string, DemoGenerator>>;

/** The slugs of the providers with a demo. */
export type DemoProvider = keyof typeof DEMO_GENERATORS;

/** A demo has everything that its provider has, and what else it generates: no real provider has allergies, for example. */
export const listDemoResources = (provider: DemoProvider): ResourceName[] => [
  ...new Set([
    ...(findProvider(provider)?.resources ?? []),
    ...DEMO_GENERATORS[provider].rare.map(({ resource }) => resource),
  ]),
];
