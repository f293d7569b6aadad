import type { App } from '../../app.ts';
import type { AreaSources } from '../areas/areas.ts';
import type { Phlebotomist } from '../areas/schema.ts';
import { countSitesNear } from './store.ts';

/** Those that come to the patient; the other scheduling providers are where the patient goes. */
const PHLEBOTOMISTS = ['getlabs', 'phlebfinders'] as const;

const SERVICE = { slots: 'appointment-ready', request: 'appointment-request' } as const;

/** What the areas are told: sites near the ZIP code, and the phlebotomists who come there. */
export function areaSources({ schedulingProviders }: Pick<App, 'schedulingProviders'>): AreaSources {
  return {
    sites: async (work, search) => {
      const connected = schedulingProviders[work.tenant.environment];
      const booksAt = new Set<string>(Object.values(connected).map(({ name }) => name));
      const counted = await countSitesNear(work, search);
      return new Map(
        counted.map(({ slug, sites, capabilities }) => [
          slug,
          {
            appointment_with_vital:
              capabilities.includes('appointment_scheduling_via_junction') && booksAt.has(slug),
            within_radius: sites,
            capabilities: [...capabilities],
          },
        ]),
      );
    },
    phlebotomists: async ({ tenant }, { zip }) =>
      PHLEBOTOMISTS.flatMap((name): Phlebotomist[] => {
        const provider = schedulingProviders[tenant.environment][name];
        return provider?.serves(zip) === true ? [{ name, service_types: [SERVICE[provider.kind]] }] : [];
      }),
  };
}
