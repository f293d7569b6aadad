import { useNavigate, useSearch } from '@tanstack/react-router';

/**
 * Filters, tabs and selections of a page live in its URL, so that a link shows the same view. Values are texts; an empty
 * one is left out. Nothing of a patient may be stored here: names and birth dates are searched by other means.
 */
export function useUrlState(): [
  Readonly<Record<string, string>>,
  (changed: Readonly<Record<string, string | undefined>>, options?: { replace?: boolean }) => void,
] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const state = Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));
  return [
    state,
    (changed, { replace = true } = {}) => {
      const next = Object.entries({ ...state, ...changed }).filter(
        ([, value]) => value !== undefined && value !== '',
      );
      void navigate({ to: '.', search: Object.fromEntries(next), replace });
    },
  ];
}
