import { z } from 'zod';
import { openEnum } from '../../platform/open-enum.ts';
import { instant, valueField, interval } from './sample.ts';

// prettier-ignore
const SENSOR_LOCATIONS = [
  'armpit', 'body', 'ear', 'finger', 'gastrointestinal', 'mouth', 'rectum', 'toe', 'eardrum', 'temporal_artery',
  'forehead', 'wrist',
];

const bodySensorFields = { ...valueField, sensor_location: openEnum(SENSOR_LOCATIONS).nullable() };
const pressureFields = { systolic: z.number(), diastolic: z.number() };
const typedFields = { ...valueField, type: z.string() };
const enumTypeFields = (...types: string[]) => ({ ...valueField, type: openEnum(types) });
const alertFields = {
  type: openEnum(['low_heart_rate', 'high_heart_rate', 'irregular_rhythm']),
  value: z.literal(1),
};
const effortFields = { ...valueField, intensity: openEnum(['low', 'medium', 'high']).nullable() };
const injectionFields = {
  ...enumTypeFields('rapid_acting', 'long_acting'),
  delivery_mode: openEnum(['basal', 'bolus']).nullable(),
  delivery_form: openEnum(['standard', 'extended']).nullable(),
  bolus_purpose: openEnum(['meal', 'correction', 'mixed', 'unknown']).nullable(),
};
const breathingFields = { ...valueField, type: openEnum(['elevated', 'not_elevated']).nullable() };
const noteFields = {
  value: z.string(),
  tags: z.array(openEnum(['food', 'exercise', 'insulin_injection', 'unspecified'])).nullable(),
};

/**
 * The timeseries resources, each with one unit. `label` and `path` override the resource name in texts and URLs.
 */
// prettier-ignore
export const TIMESERIES = {
  calories_active:             interval('CaloriesActiveTimeseries', 'kcal'),
  calories_basal:              instant('CaloriesBasalTimeseries', 'kcal'),
  blood_pressure:              instant('BloodPressureTimeseries', 'mmHg', pressureFields),
  blood_oxygen:                instant('BloodOxygenTimeseries', '%'),
  weight:                      { ...instant('BodyWeightTimeseries', 'kg'), path: 'body_weight', label: 'body weight' },
  fat:                         { ...instant('BodyFatTimeseries', '%'), path: 'body_fat', label: 'body fat' },
  body_temperature:            interval('BodyTemperatureSample', '°C', bodySensorFields),
  body_temperature_delta:      interval('BodyTemperatureDeltaSample', '°C', bodySensorFields),
  caffeine:                    interval('CaffeineTimeseries', 'g'),
  cholesterol:                 instant('CholesterolTimeseries', 'mmol/L', enumTypeFields('total', 'ldl', 'hdl', 'triglycerides')),
  distance:                    interval('DistanceTimeseries', 'm'),
  floors_climbed:              instant('FloorsClimbedTimeseries', 'count'),
  glucose:                     instant('GlucoseTimeseries', 'mmol/L'),
  heartrate:                   { ...instant('HeartRateTimeseries', 'bpm'), label: 'heart rate' },
  hrv:                         { ...instant('HRVTimeseries', 'rmssd'), label: 'heart rate variability' },
  ige:                         { ...instant('IgeTimeseries', 'FSU', typedFields), label: 'IgE' },
  igg:                         { ...instant('IggTimeseries', 'FSU', typedFields), label: 'IgG' },
  mindfulness_minutes:         interval('MindfulnessMinutesTimeseries', 'min'),
  respiratory_rate:            instant('RespiratoryRateTimeseries', 'bpm'),
  steps:                       interval('StepsTimeseries', 'count'),
  stress_level:                instant('StressLevelTimeseries', '%'),
  vo2_max:                     { ...interval('VO2MaxTimeseries', 'mL/kg/min'), label: 'VO2 max' },
  water:                       instant('WaterTimeseries', 'mL'),
  electrocardiogram_voltage:   instant('ElectrocardiogramVoltageTimeseries', 'mV', typedFields),
  afib_burden:                 { ...interval('AFibBurdenSample', '%'), label: 'atrial fibrillation burden' },
  heart_rate_alert:            interval('HeartRateAlertSample', 'count', alertFields),
  workout_duration:            interval('WorkoutDurationSample', 'min', effortFields),
  insulin_injection:           interval('InsulinInjectionSample', 'unit', injectionFields),
  carbohydrates:               interval('CarbohydratesSample', 'g'),
  note:                        interval('NoteSample', 'text', noteFields),
  stand_hour:                  interval('StandHourSample', 'count', enumTypeFields('stood', 'idle')),
  stand_duration:              interval('StandDurationSample', 'min'),
  sleep_apnea_alert:           interval('SleepApneaAlertSample', 'count'),
  sleep_breathing_disturbance: interval('SleepBreathingDisturbanceSample', 'count', breathingFields),
  wheelchair_push:             interval('WheelchairPushSample', 'count'),
  forced_expiratory_volume_1:  interval('ForcedExpiratoryVolume1Sample', 'L'),
  forced_vital_capacity:       interval('ForcedVitalCapacitySample', 'L'),
  peak_expiratory_flow_rate:   interval('PeakExpiratoryFlowRateSample', 'L/min'),
  inhaler_usage:               interval('InhalerUsageSample', 'count'),
  fall:                        interval('FallSample', 'count'),
  uv_exposure:                 { ...interval('UVExposureSample', 'index'), label: 'UV exposure' },
  daylight_exposure:           interval('DaylightExposureSample', 'min'),
  handwashing:                 interval('HandwashingSample', 'count'),
  basal_body_temperature:      interval('BasalBodyTemperatureSample', '°C'),
  body_mass_index:             interval('BodyMassIndexSample', 'index'),
  lean_body_mass:              interval('LeanBodyMassSample', 'kg'),
  waist_circumference:         interval('WaistCircumferenceSample', 'cm'),
  heart_rate_recovery_one_minute: interval('HeartRateRecoveryOneMinuteSample', 'count'),
  workout_distance:            interval('WorkoutDistanceSample', 'm'),
  workout_swimming_stroke:     interval('WorkoutSwimmingStrokeSample', 'count'),
};
export type TimeseriesName = keyof typeof TIMESERIES;

/** Readable by URL and as part of a sleep; has no events. */
export const hypnogram = interval('HypnogramTimeseries', 'sleep_stage');
