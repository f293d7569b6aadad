import { Alert, Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

interface InvalidLinkProps {
  readonly isIncomplete: boolean;
  /** Who gives a new one. */
  readonly help: string;
}

/** A one-time link that cannot be used, and the way out. */
export const InvalidLink = ({ isIncomplete, help }: InvalidLinkProps) => (
  <>
    <Alert
      color="yellow"
      role="alert"
      title={isIncomplete ? 'This link is incomplete' : 'This link is no longer valid'}
    >
      {isIncomplete
        ? 'A part of it is missing. Copy the whole link again.'
        : `It was used, replaced, or is too old. ${help}`}
    </Alert>
    <Anchor component={Link} to="/sign-in" size="sm">
      Go to the sign-in
    </Anchor>
  </>
);
