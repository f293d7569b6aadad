const DAY_MS = 86_400_000;

/** How long a key may work, in days; empty is for ever. */
export const LIFETIMES: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

export const expiryOf = (days: string | null): string | null =>
  days === null || days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
