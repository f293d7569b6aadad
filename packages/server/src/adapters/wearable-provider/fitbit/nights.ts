import { createDailyPull } from './days.ts';
import * as wire from './wire.ts';

const USER = '/1/user/-';
const createRangePath = (path: string) => (from: string, to: string) =>
  `${USER}/${path}/date/${from}/${to}.json`;

export const hrv = createDailyPull('hrv', {
  schema: wire.Hrv,
  path: createRangePath('hrv'),
  values: ({ hrv: nights }) => nights.map(({ dateTime: day, value }) => ({ day, value: value.dailyRmssd })),
});

export const respiratoryRate = createDailyPull('respiratory_rate', {
  schema: wire.Breathing,
  path: createRangePath('br'),
  values: ({ br }) => br.map(({ dateTime: day, value }) => ({ day, value: value.breathingRate })),
});

export const bloodOxygen = createDailyPull('blood_oxygen', {
  schema: wire.Oxygen,
  path: createRangePath('spo2'),
  values: (nights) => nights.map(({ dateTime: day, value }) => ({ day, value: value.avg })),
});

export const temperatureDelta = createDailyPull('body_temperature_delta', {
  schema: wire.SkinTemperature,
  path: createRangePath('temp/skin'),
  values: ({ tempSkin }) =>
    tempSkin.map(({ dateTime: day, value }) => ({ day, value: value.nightlyRelative })),
  overDay: true,
  more: { sensor_location: 'wrist' },
});

/** Fitbit sends a number or a range; a range becomes its mean. */
export const vo2Max = createDailyPull('vo2_max', {
  schema: wire.CardioScore,
  path: createRangePath('cardioscore'),
  values: ({ cardioScore }) =>
    cardioScore.flatMap(({ dateTime: day, value: { vo2Max: text } }) => {
      const ends = text.split('-').map(Number);
      const value = ends.reduce((sum, one) => sum + one, 0) / ends.length;
      return Number.isFinite(value) ? [{ day, value }] : [];
    }),
  overDay: true,
});

export const water = createDailyPull('water', {
  schema: wire.Water,
  path: createRangePath('foods/log/water'),
  values: (answer) =>
    answer['foods-log-water']
      .filter(({ value }) => value > 0)
      .map(({ dateTime: day, value }) => ({ day, value })),
});
