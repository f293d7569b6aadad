import { ActionIcon, Menu, Text, useMantineColorScheme, useComputedColorScheme } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useSignOut } from '../base/sign-out.ts';
import { IconKeyboard, IconMoon, IconSettings, IconSignOut, IconSun, IconUser } from '../base/icons.ts';
import { openHelp } from './shortcut-state.ts';
import { useGoTo } from '../base/tenant.ts';

export function AccountMenu() {
  const member = useSession().data?.session.member;
  const signOut = useSignOut();
  const goTo = useGoTo();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme() === 'dark';
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Your account">
          <IconUser size={22} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {member?.name}
          </Text>
          {member?.email}
        </Menu.Label>
        <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => goTo('account')}>
          Your account
        </Menu.Item>
        <Menu.Item
          leftSection={isDark ? <IconSun size={16} /> : <IconMoon size={16} />}
          onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
        >
          {isDark ? 'Light theme' : 'Dark theme'}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openHelp}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconSignOut size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
