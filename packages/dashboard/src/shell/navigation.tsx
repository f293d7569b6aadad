import { NavLink, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { NAVIGATION_GROUPS, type PageEntry } from '../base/page-entry.ts';
import { PAGES } from '../pages.ts';
import { usePermissions, useTenantPath } from '../base/tenant.ts';

/** Whether the member may open a page: one of its permissions is enough. */
export function useIsShown(): (page: PageEntry) => boolean {
  const may = usePermissions();
  return ({ permissions }) => !permissions || permissions.some(may);
}

export function Navigation({ onChoose }: { readonly onChoose: () => void }) {
  const isShown = useIsShown();
  const pathOf = useTenantPath();
  const { pathname } = useLocation();
  return NAVIGATION_GROUPS.map((group) => {
    const pages = PAGES.filter((page) => page.group === group && isShown(page));
    if (pages.length === 0) return null;
    return (
      <div key={group} role="group" aria-label={group}>
        <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={2}>
          {group}
        </Text>
        {pages.map(({ path, title, icon: Icon }) => {
          const to = pathOf(path);
          const isActive = pathname === to || pathname.startsWith(`${to}/`);
          return (
            <NavLink
              key={path}
              renderRoot={(props) => <Link to={to} {...props} />}
              label={title}
              leftSection={Icon && <Icon size={18} stroke={1.6} />}
              active={isActive}
              aria-current={isActive ? 'page' : undefined}
              onClick={onChoose}
              py={4}
              px="sm"
              style={{ borderRadius: 6 }}
            />
          );
        })}
      </div>
    );
  });
}
