import { useLocation, useRouter } from '@tanstack/react-router';

/** What the fragment of a one-time link carries. */
interface OneTimeToken {
  /** Undefined for a link that was not copied as a whole. */
  readonly token: string | undefined;
  /** The link of the first start: it asks for the name and the address of the owner. */
  readonly isForOwner: boolean;
  /** Takes the token out of the address and the history of the browser. */
  readonly forget: () => void;
}

/** The token is in the fragment of the URL, which browsers send to no server and in no referrer. */
export function useOneTimeToken(): OneTimeToken {
  const hash = useLocation({ select: (location) => location.hash });
  const { history } = useRouter();
  const [, kind, token] = /^(owner\.)?([\w-]+)$/.exec(hash.replace(/^#/, '')) ?? [];
  return {
    token,
    isForOwner: kind !== undefined,
    forget: () => history.replace(history.location.pathname),
  };
}
