import { Select } from '@mantine/core';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useUrlState } from '../../base/url-state.ts';

type Provider = components['schemas']['ProvidersInput'];

/** The provider that the URL names. A slug that the API does not have is answered by the API. */
export const useProvider = (): Provider | undefined => {
  const [{ provider }] = useUrlState();
  return provider === undefined ? undefined : (provider as Provider);
};

export function ProviderFilter() {
  const [{ provider }, setState] = useUrlState();
  const providers = api.useQuery('get', '/v2/providers');
  return (
    <Select
      aria-label="Provider"
      placeholder="All providers"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear the provider' }}
      w={260}
      data={(providers.data ?? []).map(({ slug, name }) => ({ value: slug, label: name }))}
      value={provider ?? null}
      onChange={(value) => setState({ provider: value ?? undefined })}
    />
  );
}
