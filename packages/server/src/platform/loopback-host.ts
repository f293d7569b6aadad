import ipaddr from 'ipaddr.js';

/** Whether a host to listen on can be reached only from the machine itself. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
