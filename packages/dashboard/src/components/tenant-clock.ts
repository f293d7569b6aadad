import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { useTenant } from '../base/tenant.ts';

/**
 * The time of the team now, in milliseconds, renewed every second. The clock of a sandbox may be ahead of ours: its
 * deadlines must not be compared with the wall clock.
 */
export function useTenantNow(): number {
  const { teamId, environment } = useTenant();
  const orgId = useSession().data?.session.org_id ?? '';
  const clock = api.useQuery(
    'get',
    '/v1/org/{org_id}/team/{team_id}/sandbox/clock',
    { params: { path: { org_id: orgId, team_id: teamId } } },
    { enabled: environment === 'sandbox' },
  );
  const [tick, setTick] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setTick(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const ahead = clock.data ? Date.parse(clock.data.now) - clock.dataUpdatedAt : 0;
  return tick + ahead;
}
