import { api } from '../api/client.ts';

/** A provider by its name; by its slug while the names are on their way. */
export function ProviderName({ slug }: { readonly slug: string }) {
  const providers = api.useQuery('get', '/v2/providers');
  return providers.data?.find((one) => one.slug === slug)?.name ?? slug;
}
