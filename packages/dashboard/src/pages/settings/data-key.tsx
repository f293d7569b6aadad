import { Button, Stack, Text } from '@mantine/core';
import { api, client } from '../../api/client.ts';
import { usePermissions } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { useTenantScope } from './use-tenant-scope.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/data_key';
const AGAIN_MS = 5000;

const STATES = {
  announced: 'The new key is announced to every node and encrypts in half a minute.',
  sealing: 'Older data are encrypted again in the background.',
  done: 'Everything is encrypted with the newest key.',
  stuck: 'Some data could not be encrypted again. Rotate again to continue with another round.',
};

export function DataKey() {
  const path = useTenantScope();
  const may = usePermissions();
  const query = api.useQuery(
    'get',
    PATH,
    { params: { path } },
    {
      // Nobody sends an event for the progress of a rotation.
      refetchInterval: ({ state }) => (isRunning(state.data?.rotation?.state) ? AGAIN_MS : false),
    },
  );
  const { run, isBusy } = useAction([PATH]);
  const running = isRunning(query.data?.rotation?.state);
  const rotate = () =>
    confirm({
      title: `Rotate the data key of ${path.environment}?`,
      text: 'A new key encrypts from now on, and older data are encrypted again in the background, without downtime.',
      action: 'Rotate the key',
      run: () => run(() => client.POST(`${PATH}/rotate`, { params: { path } }), 'The rotation has begun.'),
    });
  return (
    <Section
      title="Data key"
      actions={
        may('data-keys:write') && (
          <Button size="xs" variant="default" loading={isBusy} disabled={running} onClick={rotate}>
            Rotate the key
          </Button>
        )
      }
    >
      <Stack gap="xs">
        <Text size="sm">
          Patient data of this team and environment are encrypted with a key of their own, which the master
          key of the service protects.
        </Text>
        <Loaded query={query} lines={3}>
          {({ rotation }) =>
            rotation === null ? (
              <Text size="sm" c="dimmed">
                The key was never rotated.
              </Text>
            ) : (
              <KeyValues
                rows={[
                  ['State', <StatusBadge key="state" status={rotation.state} />],
                  ['What that means', STATES[rotation.state]],
                  ['Generation', String(rotation.generation)],
                  ['Begun', <TimeText key="begun" value={rotation.announced_at} />],
                  ['New key in use', <TimeText key="used" value={rotation.switched_at} />],
                  ['Finished', <TimeText key="finished" value={rotation.finished_at} />],
                  ['Values encrypted again', rotation.resealed.toLocaleString()],
                  ['Round', String(rotation.round)],
                  ...(rotation.hindrance === null ? [] : ([['Hindrance', rotation.hindrance]] as const)),
                ]}
              />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

const isRunning = (state: string | undefined): boolean => state === 'announced' || state === 'sealing';
