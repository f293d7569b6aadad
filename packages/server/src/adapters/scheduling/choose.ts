import type { Config } from '../../platform/config.ts';
import { createHttpSchedulingProvider } from './http.ts';
import { SCHEDULING_PROVIDERS, type SchedulingProviderName, type SchedulingProviders } from './port.ts';
import { createSimulatedSchedulingProviders } from './simulated.ts';

/** A sandbox has all four providers, simulated; production has those that the configuration connects. */
export function createSchedulingProviders(config: Config): SchedulingProviders {
  const connected = SCHEDULING_PROVIDERS.flatMap((name) => {
    const { url, token } = readConnections(config)[name];
    return url === undefined || token === undefined
      ? []
      : [[name, createHttpSchedulingProvider(name, { url, token })]];
  });
  return { sandbox: createSimulatedSchedulingProviders(), production: Object.fromEntries(connected) };
}

interface SchedulingConnection {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

// prettier-ignore
const readConnections = (config: Config): Readonly<Record<SchedulingProviderName, SchedulingConnection>> => ({
  quest:        { url: config.SCHEDULING_QUEST_URL,        token: config.SCHEDULING_QUEST_TOKEN },
  sonora_quest: { url: config.SCHEDULING_SONORA_QUEST_URL, token: config.SCHEDULING_SONORA_QUEST_TOKEN },
  getlabs:      { url: config.SCHEDULING_GETLABS_URL,      token: config.SCHEDULING_GETLABS_TOKEN },
  phlebfinders: { url: config.SCHEDULING_PHLEBFINDERS_URL, token: config.SCHEDULING_PHLEBFINDERS_TOKEN },
});
