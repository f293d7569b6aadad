import { api } from '../api/client.ts';

/** Gives the name of a laboratory for its slug; the text itself where no laboratory has it, or while the names come. */
export function useLabNames(): (slug: string) => string {
  const labs = api.useQuery('get', '/v3/lab_tests/labs');
  return (slug) => labs.data?.find((lab) => lab.slug === slug)?.name ?? slug;
}

export const LabName = ({ slug }: { readonly slug: string }) => useLabNames()(slug);
