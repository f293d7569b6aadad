import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';
import { atMoment, measured, overTime } from './sample.ts';

// prettier-ignore
const SENSOR_LOCATIONS = [
  'armpit', 'body', 'ear', 'finger', 'gastrointestinal', 'mouth', 'rectum', 'toe', 'eardrum', 'temporal_artery',
  'forehead', 'wrist',
];

const atBody = { ...measured, sensor_location: openList(SENSOR_LOCATIONS).nullable() };
const pressures = { systolic: z.number(), diastolic: z.number() };
const kinded = { ...measured, type: z.string() };
const ofType = (...types: string[]) => ({ ...measured, type: openList(types) });
const alert = {
  type: openList(['low_heart_rate', 'high_heart_rate', 'irregular_rhythm']),
  value: z.literal(1),
};
const effort = { ...measured, intensity: openList(['low', 'medium', 'high']).nullable() };
const injection = {
  ...ofType('rapid_acting', 'long_acting'),
  delivery_mode: openList(['basal', 'bolus']).nullable(),
  delivery_form: openList(['standard', 'extended']).nullable(),
  bolus_purpose: openList(['meal', 'correction', 'mixed', 'unknown']).nullable(),
};
const breathing = { ...measured, type: openList(['elevated', 'not_elevated']).nullable() };
const words = {
  value: z.string(),
  tags: z.array(openList(['food', 'exercise', 'insulin_injection', 'unspecified'])).nullable(),
};

/**
 * One row for each resource that is told sample by sample, in one unit each. `label` and `path` stand where the
 * name of the resource does not read well, or is another one in addresses.
 */
// prettier-ignore
export const TIMESERIES = {
  calories_active:             overTime('CaloriesActiveTimeseries', 'kcal'),
  calories_basal:              atMoment('CaloriesBasalTimeseries', 'kcal'),
  blood_pressure:              atMoment('BloodPressureTimeseries', 'mmHg', pressures),
  blood_oxygen:                atMoment('BloodOxygenTimeseries', '%'),
  weight:                      { ...atMoment('BodyWeightTimeseries', 'kg'), path: 'body_weight', label: 'body weight' },
  fat:                         { ...atMoment('BodyFatTimeseries', '%'), path: 'body_fat', label: 'body fat' },
  body_temperature:            overTime('BodyTemperatureSample', '°C', atBody),
  body_temperature_delta:      overTime('BodyTemperatureDeltaSample', '°C', atBody),
  caffeine:                    overTime('CaffeineTimeseries', 'g'),
  cholesterol:                 atMoment('CholesterolTimeseries', 'mmol/L', ofType('total', 'ldl', 'hdl', 'triglycerides')),
  distance:                    overTime('DistanceTimeseries', 'm'),
  floors_climbed:              atMoment('FloorsClimbedTimeseries', 'count'),
  glucose:                     atMoment('GlucoseTimeseries', 'mmol/L'),
  heartrate:                   { ...atMoment('HeartRateTimeseries', 'bpm'), label: 'heart rate' },
  hrv:                         { ...atMoment('HRVTimeseries', 'rmssd'), label: 'heart rate variability' },
  ige:                         { ...atMoment('IgeTimeseries', 'FSU', kinded), label: 'IgE' },
  igg:                         { ...atMoment('IggTimeseries', 'FSU', kinded), label: 'IgG' },
  mindfulness_minutes:         overTime('MindfulnessMinutesTimeseries', 'min'),
  respiratory_rate:            atMoment('RespiratoryRateTimeseries', 'bpm'),
  steps:                       overTime('StepsTimeseries', 'count'),
  stress_level:                atMoment('StressLevelTimeseries', '%'),
  vo2_max:                     { ...overTime('VO2MaxTimeseries', 'mL/kg/min'), label: 'VO2 max' },
  water:                       atMoment('WaterTimeseries', 'mL'),
  electrocardiogram_voltage:   atMoment('ElectrocardiogramVoltageTimeseries', 'mV', kinded),
  afib_burden:                 { ...overTime('AFibBurdenSample', '%'), label: 'burden of atrial fibrillation' },
  heart_rate_alert:            overTime('HeartRateAlertSample', 'count', alert),
  workout_duration:            overTime('WorkoutDurationSample', 'min', effort),
  insulin_injection:           overTime('InsulinInjectionSample', 'unit', injection),
  carbohydrates:               overTime('CarbohydratesSample', 'g'),
  note:                        overTime('NoteSample', 'text', words),
  stand_hour:                  overTime('StandHourSample', 'count', ofType('stood', 'idle')),
  stand_duration:              overTime('StandDurationSample', 'min'),
  sleep_apnea_alert:           overTime('SleepApneaAlertSample', 'count'),
  sleep_breathing_disturbance: overTime('SleepBreathingDisturbanceSample', 'count', breathing),
  wheelchair_push:             overTime('WheelchairPushSample', 'count'),
  forced_expiratory_volume_1:  overTime('ForcedExpiratoryVolume1Sample', 'L'),
  forced_vital_capacity:       overTime('ForcedVitalCapacitySample', 'L'),
  peak_expiratory_flow_rate:   overTime('PeakExpiratoryFlowRateSample', 'L/min'),
  inhaler_usage:               overTime('InhalerUsageSample', 'count'),
  fall:                        overTime('FallSample', 'count'),
  uv_exposure:                 { ...overTime('UVExposureSample', 'index'), label: 'UV exposure' },
  daylight_exposure:           overTime('DaylightExposureSample', 'min'),
  handwashing:                 overTime('HandwashingSample', 'count'),
  basal_body_temperature:      overTime('BasalBodyTemperatureSample', '°C'),
  body_mass_index:             overTime('BodyMassIndexSample', 'index'),
  lean_body_mass:              overTime('LeanBodyMassSample', 'kg'),
  waist_circumference:         overTime('WaistCircumferenceSample', 'cm'),
  heart_rate_recovery_one_minute: overTime('HeartRateRecoveryOneMinuteSample', 'count'),
  workout_distance:            overTime('WorkoutDistanceSample', 'm'),
  workout_swimming_stroke:     overTime('WorkoutSwimmingStrokeSample', 'count'),
};
export type TimeseriesName = keyof typeof TIMESERIES;

/** Read by address and inside a sleep only: no event tells of it. */
export const hypnogram = overTime('HypnogramTimeseries', 'sleep_stage');
