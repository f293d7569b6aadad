import type { LoggableRoute } from '../../platform/http/access-logger.ts';

/** Tags whose routes return no patient data. */
const TAGS_WITHOUT_PATIENT_DATA = new Set(['Lab tests', 'Compendium', 'Team']);

/** Routes under these tags that may return patient data all the same. */
const READS_WITH_PATIENT_DATA = new Set(['search']);

/** Routes under other tags that return no patient data: catalogs, directories, counts. */
const READS_WITHOUT_PATIENT_DATA = new Set([
  'getAreaInfo',
  'getPscInfo',
  'getUserMetrics',
  'listLinkProviders',
  'listPhlebotomyCancellationReasons',
  'listProviders',
  'listPscCancellationReasons',
  'listSimulationScenarios',
  'searchDiagnoses',
  'searchLoinc',
  'searchPayors',
]);

/** Reads of the Management API that may return patient data. Its changes are in the audit log. */
const LOGGED_MANAGEMENT_READS = new Set([
  'exportUser',
  'getLabMessage',
  'getReceivedWebhook',
  'getWebhookAttempt',
  'listEvents',
  'listLabMessages',
  'listReceivedWebhooks',
  'listWebhookAttempts',
]);

/** Whether accesses are logged. Team API: every change, and by default every read that is not listed above. */
export const isLoggedRoute = ({ method, scope, schema: { tag, operationId } }: LoggableRoute): boolean =>
  scope === 'management'
    ? LOGGED_MANAGEMENT_READS.has(operationId)
    : method !== 'GET' ||
      READS_WITH_PATIENT_DATA.has(operationId) ||
      !(TAGS_WITHOUT_PATIENT_DATA.has(tag) || READS_WITHOUT_PATIENT_DATA.has(operationId));
