import { SOURCE_TYPES } from '../../readings/schema.ts';
import type { ReadingOrigin } from '../../readings/readings.ts';
import { createFault, isValidName, type IngestionFault } from './fault.ts';

const TYPES = new Set<string>(SOURCE_TYPES);

/** Validates the origin of a reading. */
export function findOriginFault({
  provider,
  type,
  appId,
  device,
  workout,
}: ReadingOrigin): IngestionFault | undefined {
  if (provider === '' || !isValidName(provider))
    return createFault(['origin', 'provider'], 'expected a provider');
  if (!TYPES.has(type))
    return createFault(['origin', 'type'], `expected one of ${SOURCE_TYPES.join(', ')}`, 'invalid_value');
  const names = Object.entries({ appId, ...device, workout: workout?.key, sport: workout?.sport });
  const bad = names.find(([, name]) => typeof name === 'string' && !isValidName(name));
  return bad && createFault(['origin', bad[0]], 'expected a string of at most 200 characters');
}
