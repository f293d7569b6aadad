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

/** Every change is written down, and every read of what may be a patient's: what is not named here is. */
export const isWatched = ({ method, schema: { tag, operationId } }: Watched): boolean =>
  method !== 'GET' || !(OF_NOBODY.has(tag) || OF_NOBODY_EITHER.has(operationId));
