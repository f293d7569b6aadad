import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/charts/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './base/dashboard.css';
import './base/desks.css';
import './base/cards.css';
import './base/calendar.css';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { requestContext } from './api/client.ts';
import { STYLE_NONCE } from './api/service.ts';
import { sessionQuery } from './api/session.ts';
import { queryClient, router } from './router.tsx';
import { cssVariablesResolver, theme } from './base/theme.ts';

// What was shown before must not be left in memory for the next person at this screen.
requestContext.onSignedOut = () => {
  const { pathname, searchStr } = router.state.location;
  if (pathname === '/sign-in') return;
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  void router.navigate({ to: '/sign-in', search: { next: `${pathname}${searchStr}`, ended: '1' } });
};

// The library that stops the page from scrolling below a dialog adds a style element and asks here for its nonce.
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE });

const container = document.getElementById('dashboard');
if (!container) throw new Error('The page has no element for the dashboard');
createRoot(container).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariablesResolver}
      getStyleNonce={() => STYLE_NONCE}
    >
      <QueryClientProvider client={queryClient}>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
