import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const ADMINISTRATION_PAGES: readonly PageEntry[] = [
];
