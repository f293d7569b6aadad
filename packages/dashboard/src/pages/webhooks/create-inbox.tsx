import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useGoTo, usePermissions } from '../../base/tenant.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import { toSandbox } from './sandbox.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook_inbox';

/** One click to a place where webhooks arrive, without a service of one's own. Then it opens, unless `onMade` is given. */
export function CreateInbox({ onMade }: { readonly onMade?: () => void }) {
  const path = useTeamParams();
  const may = usePermissions();
  const goTo = useGoTo();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => client.POST(PATH, { params: { path: toSandbox(path) } }),
    onSuccess: async () => {
      tellDone('The inbox is open. Events of this sandbox arrive in it.');
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' });
      if (onMade) onMade();
      else goTo('webhooks', { tab: 'received' });
    },
    onError: tellError,
  });
  if (path.environment !== 'sandbox' || !may('egress:write')) return null;
  return (
    <Button variant="default" loading={create.isPending} onClick={() => create.mutate()}>
      Receive webhooks here
    </Button>
  );
}
