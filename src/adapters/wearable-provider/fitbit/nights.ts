import { daily } from './days.ts';
import * as wire from './wire.ts';

const USER = '/1/user/-';
const range = (path: string) => (from: string, to: string) => `${USER}/${path}/date/${from}/${to}.json`;

export const hrv = daily('hrv', {
  schema: wire.Hrv,
  path: range('hrv'),
  values: ({ hrv: nights }) => nights.map(({ dateTime: day, value }) => ({ day, value: value.dailyRmssd })),
});

export const respiratoryRate = daily('respiratory_rate', {
  schema: wire.Breathing,
  path: range('br'),
  values: ({ br }) => br.map(({ dateTime: day, value }) => ({ day, value: value.breathingRate })),
});

export const bloodOxygen = daily('blood_oxygen', {
  schema: wire.Oxygen,
  path: range('spo2'),
  values: (nights) => nights.map(({ dateTime: day, value }) => ({ day, value: value.avg })),
});

export const temperatureDelta = daily('body_temperature_delta', {
  schema: wire.SkinTemperature,
  path: range('temp/skin'),
  values: ({ tempSkin }) =>
    tempSkin.map(({ dateTime: day, value }) => ({ day, value: value.nightlyRelative })),
  overDay: true,
  more: { sensor_location: 'wrist' },
});

/** A number, or the two between which it lies. */
export const vo2Max = daily('vo2_max', {
  schema: wire.CardioScore,
  path: range('cardioscore'),
  values: ({ cardioScore }) =>
    cardioScore.flatMap(({ dateTime: day, value: { vo2Max: text } }) => {
      const ends = text.split('-').map(Number);
      const value = ends.reduce((sum, one) => sum + one, 0) / ends.length;
      return Number.isFinite(value) ? [{ day, value }] : [];
    }),
  overDay: true,
});

export const water = daily('water', {
  schema: wire.Water,
  path: range('foods/log/water'),
  values: (answer) =>
    answer['foods-log-water']
      .filter(({ value }) => value > 0)
      .map(({ dateTime: day, value }) => ({ day, value })),
});
