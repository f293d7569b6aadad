import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DATA_PAGES: readonly PageEntry[] = [
];
