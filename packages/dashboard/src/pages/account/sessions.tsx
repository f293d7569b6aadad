import { api, client } from '../../api/client.ts';
import { Section } from '../../components/page.tsx';
import { SessionTable } from '../../components/session-table.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';

const CHANGES = ['/v1/account/session'];

export function Sessions() {
  const query = api.useQuery('get', '/v1/account/session');
  const { run } = useAction(CHANGES);
  return (
    <Section title="Where you are signed in">
      <Loaded query={query} lines={2}>
        {({ sessions }) => (
          <SessionTable
            sessions={sessions}
            onEnd={({ session_id: id }) =>
              void run(
                () =>
                  client.DELETE('/v1/account/session/{session_id}', { params: { path: { session_id: id } } }),
                'The session has ended.',
              )
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
