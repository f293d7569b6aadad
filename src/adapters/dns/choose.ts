import type { Config } from '../../platform/config.ts';
import type { TextRecords } from './port.ts';
import { dnsTextRecords } from './resolver.ts';

/** The name servers of the configuration, else those of the system. */
export const textRecordsOf = ({ DNS_SERVERS: servers }: Config): TextRecords => dnsTextRecords({ servers });
