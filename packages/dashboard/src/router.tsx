import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api/client.ts';
import { sessionQuery } from './api/session.ts';
import { PREFIX } from './api/service.ts';
import { UnknownPage } from './components/states.tsx';
import { lastTenant } from './base/last-tenant.ts';
import { PAGES } from './pages.ts';
import { guarded } from './shell/guarded.tsx';
import { TenantLayout } from './shell/tenant-layout.tsx';

/** One attempt more for what may pass; a refusal does not pass. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 1 && !(error instanceof ApiError && error.status < 500),
      staleTime: 15_000,
      refetchOnWindowFocus: false,
    },
  },
});

const root = createRootRoute({ component: Outlet, notFoundComponent: UnknownPage });

const requireSignedIn = async (href: string) => {
  const signedIn = await queryClient.ensureQueryData(sessionQuery);
  if (!signedIn) throw redirect({ to: '/sign-in', search: { next: href } });
  return signedIn;
};

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { access } = await requireSignedIn('/');
    const { teamId, environment } = lastTenant(access);
    throw redirect({ to: teamId === undefined ? '/no-team' : `/${teamId}/${environment}/home` });
  },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in.tsx'), 'Page'),
});

/** Where the one-time links of the service lead; their tokens are in the fragment. */
const signInLink = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-link',
  component: lazyRouteComponent(() => import('./pages/sign-in/set-password.tsx'), 'Page'),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyRouteComponent(() => import('./pages/sign-in/accept-invite.tsx'), 'Page'),
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  component: lazyRouteComponent(() => import('./pages/sign-in/confirm-email.tsx'), 'Page'),
});

const noTeam = createRoute({
  getParentRoute: () => root,
  path: '/no-team',
  component: lazyRouteComponent(() => import('./pages/sign-in/no-team.tsx'), 'Page'),
});

const tenant = createRoute({
  getParentRoute: () => root,
  path: '/$teamId/$environment',
  beforeLoad: ({ location }) => requireSignedIn(location.href),
  component: TenantLayout,
});

const tenantStart = createRoute({
  getParentRoute: () => tenant,
  path: '/',
  beforeLoad: ({ params: { teamId, environment } }) => {
    throw redirect({ to: `/${teamId}/${environment}/home` });
  },
});

const pages = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => tenant,
    path: page.path,
    component: guarded(page, lazyRouteComponent(page.load, 'Page')),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signIn,
    signInLink,
    invite,
    confirmEmail,
    noTeam,
    tenant.addChildren([tenantStart, ...pages]),
  ]),
  basepath: `${PREFIX}/dashboard`,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Texts as they are: the default would turn 12 and true into JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
});
