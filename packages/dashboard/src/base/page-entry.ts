import type { ComponentType } from 'react';

/** Where a page stands in the navigation. */
export const NAVIGATION_GROUPS = [
  'Overview',
  'Care',
  'Desks',
  'Data',
  'Developers',
  'Administration',
] as const;
type NavigationGroup = (typeof NAVIGATION_GROUPS)[number];

/** A page of a team in one environment. The router, the navigation, the command palette and the tests walk this table. */
export interface PageEntry {
  /** Below the team and the environment; `$name` is a parameter. */
  readonly path: string;
  readonly title: string;
  /** Undefined: not in the navigation, because other pages lead to it. */
  readonly group?: NavigationGroup;
  readonly icon?: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Shown to members who have one of these; undefined: to every member of the team. */
  readonly permissions?: readonly string[];
  readonly load: () => Promise<{ Page: ComponentType }>;
}
