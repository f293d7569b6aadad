import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { requestContext } from '../api/client.ts';
import { ReauthenticationDialog } from '../base/reauthentication.tsx';
import { Loading, UnknownPage } from '../components/states.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CommandPalette, SearchButton } from './command-palette.tsx';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { useIdleSignOut } from './idle-sign-out.ts';
import { useLiveEvents } from './live-events.ts';
import { rememberTenant } from '../base/last-tenant.ts';
import { Navigation } from './navigation.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { TeamSwitch } from './team-switch.tsx';
import { useTeam, useTenant } from '../base/tenant.ts';

/** The frame of every page of a team: header, navigation, the page. */
export function TenantLayout() {
  const { teamId, environment } = useTenant();
  const team = useTeam();
  const name = `${teamId}/${environment}`;
  const queries = useQueryClient();
  const [shown, setShown] = useState('');
  // Requests name the tenant of the URL, so no child may ask before it is set; answers of another tenant are dropped.
  useLayoutEffect(() => {
    requestContext.tenant = { teamId, environment };
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    setShown(name);
    rememberTenant(teamId, environment);
  }, [name, teamId, environment, queries]);
  useIdleSignOut();
  if (!team || (environment !== 'sandbox' && environment !== 'production')) return <UnknownPage />;
  return shown === name ? <Frame key={name} /> : null;
}

function Frame() {
  const { environment } = useTenant();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useLiveEvents();
  useEffect(() => {
    document.documentElement.dataset['environment'] = environment;
  }, [environment]);
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 224, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', lg: 'xl' }}
    >
      <AppShell.Header>
        <a className="skip-link" href="#main">
          Skip to the content
        </a>
        <div className="environment-bar" data-environment={environment} />
        <Group h={56} px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Navigation" />
            <Text fw={700} size="lg" visibleFrom="sm">
              Aliquot
            </Text>
            <TeamSwitch />
          </Group>
          <SearchButton />
          <Group gap="xs" wrap="nowrap">
            <EnvironmentSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <ScrollArea type="auto" scrollbarSize={6} offsetScrollbars="y">
          <Navigation onChoose={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Suspense fallback={<Loading lines={8} />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <CommandPalette />
      <Shortcuts />
      <ReauthenticationDialog />
    </AppShell>
  );
}
