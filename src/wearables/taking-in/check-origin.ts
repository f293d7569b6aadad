import { SOURCE_TYPES } from '../source.ts';
import type { Origin } from '../readings.ts';
import { fault, isName, type Fault } from './fault.ts';

const TYPES = new Set<string>(SOURCE_TYPES);

/** What is wrong with where a reading says that it came from. */
export function originFault({ provider, type, appId, device, workout }: Origin): Fault | undefined {
  if (provider === '' || !isName(provider)) return fault(['origin', 'provider'], 'expected a provider');
  if (!TYPES.has(type))
    return fault(['origin', 'type'], `expected one of ${SOURCE_TYPES.join(', ')}`, 'invalid_value');
  const names = Object.entries({ appId, ...device, workout: workout?.key, sport: workout?.sport });
  const bad = names.find(([, name]) => typeof name === 'string' && !isName(name));
  return bad && fault(['origin', bad[0]], 'expected a text of at most 200 characters');
}
