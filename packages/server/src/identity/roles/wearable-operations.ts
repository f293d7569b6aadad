import type { Permission } from './permissions.ts';

/** The operations of the team API about devices and providers, by the permission that each needs. */
// prettier-ignore
export const WEARABLE_OPERATIONS: Partial<Record<Permission, string>> = {
  'wearables:read': `
    listUserDevices getUserDevice queryUser getContinuousQueryResultTable getContinuousQueryTaskHistory getWearableFile
    getCaloriesActiveGrouped getCaloriesBasalGrouped getBloodPressureGrouped getBloodOxygenGrouped
    getBodyWeightGrouped getBodyFatGrouped getBodyTemperatureGrouped getBodyTemperatureDeltaGrouped
    getCaffeineGrouped getCholesterolGrouped getDistanceGrouped getFloorsClimbedGrouped getGlucoseGrouped
    getHeartrateGrouped getHrvGrouped getIgeGrouped getIggGrouped getMindfulnessMinutesGrouped
    getRespiratoryRateGrouped getStepsGrouped getStressLevelGrouped getVo2MaxGrouped getWaterGrouped
    getElectrocardiogramVoltageGrouped getAfibBurdenGrouped getHeartRateAlertGrouped getWorkoutDurationGrouped
    getInsulinInjectionGrouped getCarbohydratesGrouped getNoteGrouped getStandHourGrouped getStandDurationGrouped
    getSleepApneaAlertGrouped getSleepBreathingDisturbanceGrouped getWheelchairPushGrouped
    getForcedExpiratoryVolume1Grouped getForcedVitalCapacityGrouped getPeakExpiratoryFlowRateGrouped
    getInhalerUsageGrouped getFallGrouped getUvExposureGrouped getDaylightExposureGrouped getHandwashingGrouped
    getBasalBodyTemperatureGrouped getBodyMassIndexGrouped getLeanBodyMassGrouped getWaistCircumferenceGrouped
    getHeartRateRecoveryOneMinuteGrouped getWorkoutDistanceGrouped getWorkoutSwimmingStrokeGrouped
    getHypnogramGrouped getCaloriesActive getCaloriesBasal getBloodPressure getBloodOxygen getBodyWeight getBodyFat
    getCaffeine getCholesterol getCholesterolTotal getCholesterolLdl getCholesterolHdl getCholesterolTriglycerides
    getDistance getFloorsClimbed getGlucose getHeartrate getHrv getIge getIgg getMindfulnessMinutes
    getRespiratoryRate getSteps getStressLevel getVo2Max getWater getElectrocardiogramVoltage getHypnogram
    getWorkoutStream getSleepStream getActivitySummaries getActivityRaw getSleepSummaries getSleepSummariesWithStreams getSleepRaw
    getBodySummaries getBodyRaw getWorkoutsSummaries getWorkoutsRaw getMealSummaries getMenstrualCycleSummaries
    getSleepCycleSummaries getElectrocardiogramSummaries getProfile getProfileRaw getDevicesRaw getDailyTotals`,
  'wearables:write': 'pushTimeseries pushSummaries importWearableFile beginPhoneHistory reportPhoneProgress',
  'connections:read': 'listUserProviders introspectResources introspectHistoricalPulls listBulkOps',
  'connections:write': `
    refreshUser deregisterProvider connectPhone getPhoneSyncState createLinkToken connectDemo createPortalUrl bulkTriggerHistoricalPull
    bulkPauseConnections`,
  'connections:import': 'bulkImportConnections',
  'connections:export': 'bulkExportConnections',
};
