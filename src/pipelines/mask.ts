/** What is answered in the place of a password or a token. */
export const MASK = '********';

/** An address without its secret and without parameters. A user without a password is a token, and hidden too. */
export function masked(address: string): string {
  const { protocol, username, password, host, pathname } = new URL(address);
  const user = password === '' && !protocol.startsWith('amqp') ? MASK : username;
  const account = username === '' ? '' : password === '' ? `${user}@` : `${user}:${MASK}@`;
  return `${protocol}//${account}${host}${pathname}`;
}

/**
 * The address with its secret, where the mask was put back in its place: that of a stored address which, masked,
 * reads the same, so that a password can never be sent to another host. Undefined when there is none.
 */
export function unmasked(given: string, stored: readonly string[]): string | undefined {
  const { username, password } = new URL(given);
  if (username !== MASK && password !== MASK) return given;
  return stored.find((address) => masked(address) === masked(given));
}
