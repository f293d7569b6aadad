import type { OriginDevice } from '../readings.ts';

/** What one provider tells, and how often it measures. Null: nothing of it. */
export interface Teller {
  /** The kind of its source. */
  readonly type: string;
  readonly appId: string | null;
  readonly device: Omit<OriginDevice, 'id'>;
  readonly profile: boolean;
  /** Minutes from one measurement to the next. */
  readonly heartMinutes: number | null;
  readonly hrv: { readonly minutes: number; readonly byDay: boolean } | null;
  readonly breathMinutes: number | null;
  readonly oxygenMinutes: number | null;
  /** Once a night. */
  readonly temperatureDelta: boolean;
  /** How long its counts are, in slots of five minutes; null where only days are told. */
  readonly countSlots: number | null;
  /** A phone in the pocket counts as well. */
  readonly phone: boolean;
  readonly movement: boolean;
  /** Scores of sleep and readiness. */
  readonly scores: boolean;
  readonly streams: boolean;
  readonly scale: Omit<OriginDevice, 'id'> | null;
  readonly glucose: boolean;
}

const nothing: Teller = {
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
};

const device = (manufacturer: string, model: string, version: string) => ({ manufacturer, model, version });

/** The providers that can be shown, one row each. */
export const TELLERS = {
  apple_health_kit: {
    ...nothing,
    type: 'watch',
    appId: 'com.apple.health',
    device: device('Apple Inc.', 'Watch7,3', '11.4'),
    profile: true,
    heartMinutes: 5,
    hrv: { minutes: 120, byDay: true },
    breathMinutes: 15,
    oxygenMinutes: 60,
    countSlots: 1,
    phone: true,
    movement: true,
    streams: true,
    scale: device('Withings', 'Body+', '1.0'),
  },
  fitbit: {
    ...nothing,
    type: 'watch',
    device: device('Fitbit', 'Charge 6', '1.171'),
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
    scale: device('Fitbit', 'Aria Air', '1.0'),
  },
  oura: {
    ...nothing,
    type: 'ring',
    device: device('Oura', 'Gen 3', '2.9'),
    profile: true,
    heartMinutes: 5,
    hrv: { minutes: 5, byDay: false },
    oxygenMinutes: 60,
    temperatureDelta: true,
    movement: true,
    scores: true,
  },
  freestyle_libre: {
    ...nothing,
    type: 'automatic',
    device: device('Abbott', 'FreeStyle Libre 3', '3.6'),
    glucose: true,
  },
} as const satisfies Readonly<Record<string, Teller>>;

/** The slugs of the providers that demoReadings knows. */
export type DemoProvider = keyof typeof TELLERS;
