import { Stack, Switch, Text } from '@mantine/core';
import { api, client } from '../../api/client.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';

const PATH = '/v1/org/{org_id}/sign_in_policy';

export function SignInPolicy() {
  const path = { org_id: useOrgId() };
  const may = useOrganizationPermissions();
  const query = api.useQuery('get', PATH, { params: { path } });
  const { run, isBusy } = useAction([PATH]);
  const change = (isRequired: boolean) =>
    confirm({
      title: isRequired ? 'Require a second factor?' : 'No longer require a second factor?',
      text: isRequired
        ? 'Sessions of members without one end now; they set one up when they sign in next. Set up your own first.'
        : 'Members may remove theirs, and then sign in with a password alone.',
      action: isRequired ? 'Require it' : 'Turn it off',
      isDangerous: !isRequired,
      run: () =>
        run(
          () => client.PATCH(PATH, { params: { path }, body: { require_second_factor: isRequired } }),
          'The sign-in policy is changed.',
        ),
    });
  return (
    <Section title="Sign-in policy">
      <Loaded query={query} lines={2}>
        {({ require_second_factor: isRequired }) => (
          <Stack gap="xs" maw={640}>
            <Switch
              label="Require a second factor"
              description="Of every member who signs in with a password or a link: an authenticator app or a passkey."
              checked={isRequired}
              disabled={!may('sign-in:write') || isBusy}
              onChange={(event) => change(event.currentTarget.checked)}
            />
            {!may('sign-in:write') && (
              <Text size="xs" c="dimmed">
                Only an owner changes how members sign in.
              </Text>
            )}
            <Text size="xs" c="dimmed">
              Single sign-on is required for each connection on its own, on the tab Single sign-on.
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
