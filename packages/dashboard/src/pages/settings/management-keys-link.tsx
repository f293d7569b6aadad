import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';

/** The keys of the organization stand next to those of its teams: this leads there. */
export function ManagementKeysLink() {
  const pathOf = useTenantPath();
  return (
    <Section title="Management keys">
      <Stack align="flex-start">
        <Text size="sm">
          A program manages the organization or some of its teams with such a key. They are created, rotated
          and revoked on the page of the keys.
        </Text>
        <Button size="xs" component={Link} to={pathOf('developers')}>
          Open the keys
        </Button>
      </Stack>
    </Section>
  );
}
