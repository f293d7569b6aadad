import type { App } from '../../app.ts';
import type { AreaSources } from '../areas/areas.ts';
import type { PhlebotomyProviderInfo } from '../areas/schema.ts';
import { countSitesNear } from './store.ts';

/** Providers that visit the patient; the other scheduling providers have sites. */
const PHLEBOTOMISTS = ['getlabs', 'phlebfinders'] as const;

const SERVICE_TYPES = { slots: 'appointment-ready', request: 'appointment-request' } as const;

/** Implements AreaSources: centers near a ZIP code, and the phlebotomists that serve it. */
export function createAreaSources({ schedulingProviders }: Pick<App, 'schedulingProviders'>): AreaSources {
  return {
    findServiceCenters: async (work, search) => {
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
    listPhlebotomists: async ({ tenant }, { zip }) =>
      PHLEBOTOMISTS.flatMap((name): PhlebotomyProviderInfo[] => {
        const provider = schedulingProviders[tenant.environment][name];
        return provider?.serves(zip) === true
          ? [{ name, service_types: [SERVICE_TYPES[provider.kind]] }]
          : [];
      }),
  };
}
