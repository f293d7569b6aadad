import type { SampledResource } from '../../../readings/readings.ts';

/** How a quantity type maps to samples of a resource. */
export interface AppleQuantity {
  readonly resource: SampledResource;
  readonly unit: string;
  /** Measured over an interval: the end is kept. */
  readonly over?: true;
  readonly type?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Quantity types, without the prefix `HKQuantityTypeIdentifier`. */
// prettier-ignore
export const QUANTITIES: Readonly<Record<string, AppleQuantity>> = {
  StepCount:                        { resource: 'steps',                 unit: 'count', over: true },
  DistanceWalkingRunning:           { resource: 'distance',              unit: 'm',     over: true },
  DistanceCycling:                  { resource: 'distance',              unit: 'm',     over: true },
  DistanceSwimming:                 { resource: 'distance',              unit: 'm',     over: true },
  DistanceWheelchair:               { resource: 'distance',              unit: 'm',     over: true },
  DistanceDownhillSnowSports:       { resource: 'distance',              unit: 'm',     over: true },
  DistanceRowing:                   { resource: 'distance',              unit: 'm',     over: true },
  DistancePaddleSports:             { resource: 'distance',              unit: 'm',     over: true },
  DistanceSkatingSports:            { resource: 'distance',              unit: 'm',     over: true },
  DistanceCrossCountrySkiing:       { resource: 'distance',              unit: 'm',     over: true },
  ActiveEnergyBurned:               { resource: 'calories_active',       unit: 'kcal',  over: true },
  BasalEnergyBurned:                { resource: 'calories_basal',        unit: 'kcal',  over: true },
  FlightsClimbed:                   { resource: 'floors_climbed',        unit: 'count', over: true },
  PushCount:                        { resource: 'wheelchair_push',       unit: 'count', over: true },
  AppleExerciseTime:                { resource: 'workout_duration',      unit: 'min',   over: true },
  AppleStandTime:                   { resource: 'stand_duration',        unit: 'min',   over: true },
  SwimmingStrokeCount:              { resource: 'workout_swimming_stroke', unit: 'count', over: true },
  TimeInDaylight:                   { resource: 'daylight_exposure',     unit: 'min',   over: true },
  UVExposure:                       { resource: 'uv_exposure',           unit: 'index', over: true },
  HeartRate:                        { resource: 'heartrate',             unit: 'bpm' },
  HeartRateVariabilitySDNN:         { resource: 'hrv',                   unit: 'rmssd', type: 'sdnn' },
  HeartRateRecoveryOneMinute:       { resource: 'heart_rate_recovery_one_minute', unit: 'bpm', over: true },
  AtrialFibrillationBurden:         { resource: 'afib_burden',           unit: '%',     over: true },
  OxygenSaturation:                 { resource: 'blood_oxygen',          unit: '%' },
  RespiratoryRate:                  { resource: 'respiratory_rate',      unit: 'bpm' },
  VO2Max:                           { resource: 'vo2_max',               unit: 'mL/kg/min', over: true },
  ForcedExpiratoryVolume1:          { resource: 'forced_expiratory_volume_1', unit: 'L', over: true },
  ForcedVitalCapacity:              { resource: 'forced_vital_capacity', unit: 'L',     over: true },
  PeakExpiratoryFlowRate:           { resource: 'peak_expiratory_flow_rate', unit: 'L/min', over: true },
  InhalerUsage:                     { resource: 'inhaler_usage',         unit: 'count', over: true },
  NumberOfTimesFallen:              { resource: 'fall',                  unit: 'count', over: true },
  AppleSleepingBreathingDisturbances: { resource: 'sleep_breathing_disturbance', unit: 'count', over: true },
  BodyTemperature:                  { resource: 'body_temperature',      unit: '°C',    over: true },
  AppleSleepingWristTemperature:    { resource: 'body_temperature',      unit: '°C',    over: true, more: { sensor_location: 'wrist' } },
  BasalBodyTemperature:             { resource: 'basal_body_temperature', unit: '°C',   over: true },
  BloodGlucose:                     { resource: 'glucose',               unit: 'mmol/L' },
  InsulinDelivery:                  { resource: 'insulin_injection',     unit: 'unit',  over: true, type: 'rapid_acting' },
  DietaryCaffeine:                  { resource: 'caffeine',              unit: 'g',     over: true },
  DietaryCarbohydrates:             { resource: 'carbohydrates',         unit: 'g',     over: true },
  DietaryWater:                     { resource: 'water',                 unit: 'mL' },
  BodyMass:                         { resource: 'weight',                unit: 'kg' },
  BodyFatPercentage:                { resource: 'fat',                   unit: '%' },
  BodyMassIndex:                    { resource: 'body_mass_index',       unit: 'index', over: true },
  LeanBodyMass:                     { resource: 'lean_body_mass',        unit: 'kg',    over: true },
  WaistCircumference:               { resource: 'waist_circumference',   unit: 'cm',    over: true },
};

/** Resources that are also a field of the daily body summary. */
export const BODY_FIELDS: Readonly<Partial<Record<SampledResource, string>>> = {
  weight: 'weight',
  fat: 'fat',
  body_mass_index: 'body_mass_index',
  lean_body_mass: 'lean_body_mass_kilogram',
  waist_circumference: 'waist_circumference_centimeter',
};

/** Daily quantities that belong to the activity summary and are not samples. */
// prettier-ignore
export const DAY_FIELDS: Readonly<Record<string, 'resting_bpm' | 'avg_walking_bpm'>> = {
  RestingHeartRate: 'resting_bpm', WalkingHeartRateAverage: 'avg_walking_bpm',
};

export interface AppleCategory {
  readonly resource: SampledResource;
  /** The value of the sample: 1, or the duration in minutes. */
  readonly value: 'one' | 'minutes';
  readonly type?: string;
  /** The sample type by the value of the record. */
  readonly types?: Readonly<Record<string, string>>;
}

/** Category types, without the prefix `HKCategoryTypeIdentifier`. */
// prettier-ignore
export const CATEGORIES: Readonly<Record<string, AppleCategory>> = {
  MindfulSession:           { resource: 'mindfulness_minutes', value: 'minutes' },
  HandwashingEvent:         { resource: 'handwashing',         value: 'one' },
  LowHeartRateEvent:        { resource: 'heart_rate_alert',    value: 'one', type: 'low_heart_rate' },
  HighHeartRateEvent:       { resource: 'heart_rate_alert',    value: 'one', type: 'high_heart_rate' },
  IrregularHeartRhythmEvent: { resource: 'heart_rate_alert',   value: 'one', type: 'irregular_rhythm' },
  SleepApneaEvent:          { resource: 'sleep_apnea_alert',   value: 'one' },
  AppleStandHour:           { resource: 'stand_hour',          value: 'one', types: { HKCategoryValueAppleStandHourStood: 'stood', HKCategoryValueAppleStandHourIdle: 'idle' } },
};
