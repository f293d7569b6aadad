import { useIdle } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../api/session.ts';
import { useSignOut } from '../base/sign-out.ts';

const MINUTE_MS = 60_000;

/**
 * Signs out a member who left the screen, who comes back to the same page. The service ends the session too; this also
 * hides what is shown.
 */
export function useIdleSignOut(): void {
  const minutes = useSession().data?.access.idle_timeout_minutes ?? 15;
  const isIdle = useIdle(minutes * MINUTE_MS, { initialState: false });
  const signOut = useSignOut();
  const router = useRouter();
  const hasLeft = useRef(false);
  useEffect(() => {
    if (!isIdle || hasLeft.current) return;
    hasLeft.current = true;
    void signOut({ next: router.state.location.href, ended: '1' });
  });
}
