import type { Config } from '../../platform/config.ts';
import { httpScheduling } from './http.ts';
import { SCHEDULING_PROVIDERS, type SchedulingProviderName, type SchedulingProviders } from './port.ts';
import { simulatedSchedulings } from './simulated.ts';

/** A sandbox has all four, simulated; production has those that the configuration connects. */
export function schedulingProvidersOf(config: Config): SchedulingProviders {
  const connected = SCHEDULING_PROVIDERS.flatMap((name) => {
    const { url, token } = configured(config)[name];
    return url === undefined || token === undefined ? [] : [[name, httpScheduling(name, { url, token })]];
  });
  return { sandbox: simulatedSchedulings(), production: Object.fromEntries(connected) };
}

interface Connection {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

// prettier-ignore
const configured = (config: Config): Readonly<Record<SchedulingProviderName, Connection>> => ({
  quest:        { url: config.SCHEDULING_QUEST_URL,        token: config.SCHEDULING_QUEST_TOKEN },
  sonora_quest: { url: config.SCHEDULING_SONORA_QUEST_URL, token: config.SCHEDULING_SONORA_QUEST_TOKEN },
  getlabs:      { url: config.SCHEDULING_GETLABS_URL,      token: config.SCHEDULING_GETLABS_TOKEN },
  phlebfinders: { url: config.SCHEDULING_PHLEBFINDERS_URL, token: config.SCHEDULING_PHLEBFINDERS_TOKEN },
});
