/** Replaces a password or token in responses. */
const MASK = '********';

/** Masks the secret of an address and drops its parameters. A user without a password is a token, and masked too. */
export function maskAddress(address: string): string {
  const { protocol, username, password, host, pathname } = new URL(address);
  const user = password === '' && !protocol.startsWith('amqp') ? MASK : username;
  const account = username === '' ? '' : password === '' ? `${user}@` : `${user}:${MASK}@`;
  return `${protocol}//${account}${host}${pathname}`;
}

/**
 * Restores the secret of an address that contains the mask, from the stored address with the same masked form, so that
 * a password can never be sent to another host. Undefined if there is none.
 */
export function restoreAddress(given: string, stored: readonly string[]): string | undefined {
  const { username, password } = new URL(given);
  if (username !== MASK && password !== MASK) return given;
  return stored.find((address) => maskAddress(address) === maskAddress(given));
}
