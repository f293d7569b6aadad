import type { Config } from '../../platform/config.ts';
import type { TxtResolver } from './port.ts';
import { createTxtResolver } from './resolver.ts';

/** Uses the configured name servers, or those of the system. */
export const createConfiguredTxtResolver = ({ DNS_SERVERS: servers }: Config): TxtResolver =>
  createTxtResolver({ servers });
