import type { Watched } from '../platform/http/witness.ts';

/** Tags whose routes read nothing of a patient. */
const OF_NOBODY = new Set(['Lab tests', 'Compendium', 'Team']);

/** Single routes under other tags that read nothing of a patient: catalogues, directories, counts. */
const OF_NOBODY_EITHER = new Set([
  'getAreaInfo',
  'getPscInfo',
  'getUserMetrics',
  'listLinkProviders',
  'listPhlebotomyCancellationReasons',
  'listProviders',
  'listPscCancellationReasons',
  'listSimulationScenarios',
  'searchDiagnoses',
  'searchPayors',
]);

/** The reads of the Management API that may show what is a patient's. Its changes stand in the audit log. */
const BY_MANAGEMENT = new Set([
  'getLabMessage',
  'getWebhookAttempt',
  'listEvents',
  'listLabMessages',
  'listWebhookAttempts',
]);

/** By the team API every change is written down, and every read of what may be a patient's: what is not named here is. */
export const isWatched = ({ method, scope, schema: { tag, operationId } }: Watched): boolean =>
  scope === 'management'
    ? BY_MANAGEMENT.has(operationId)
    : method !== 'GET' || !(OF_NOBODY.has(tag) || OF_NOBODY_EITHER.has(operationId));
