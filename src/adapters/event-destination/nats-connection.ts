import { isIP } from 'node:net';
import {
  NatsConnectionImpl,
  setTransportFactory,
  type ConnectionOptions,
  type NatsConnection,
  type Transport,
} from '@nats-io/transport-node';
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js';

/** Where a certificate has to be from, and who may have signed it where that is not left to the system. */
export interface Trusted {
  readonly host: string;
  readonly ca: string | undefined;
}

type Options = ConnectionOptions & { readonly trusted?: Trusted };

/**
 * The client's own connecting, but for two things: a connection that was not made in time is given back, where the client
 * forgets it and leaves it open; and where a server that was not asked for it wants TLS, its certificate is that of
 * the host, where the client, which knows the address alone, would look for one of `localhost`.
 */
export function connectTo(
  options: Options & { trusted: Trusted; isSecure: boolean },
): Promise<NatsConnection> {
  const { isSecure, ...rest } = options;
  setTransportFactory({ factory: openTransport, dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(isSecure ? { ...rest, tls: tlsFor(options.trusted) } : rest);
}

function openTransport(): Transport {
  const transport = new NodeTransport();
  const close = transport.close.bind(transport);
  transport.close = async (error) => {
    await close(error);
    if (!transport.connected) transport.discard();
  };
  const startTls = transport.startTLS.bind(transport);
  transport.startTLS = () => {
    const { trusted, ...options }: Options = transport.options;
    transport.options = trusted ? { ...options, tls: tlsFor(trusted) } : options;
    return startTls();
  };
  return transport;
}

/** The client passes on to TLS what its own type does not tell of. */
function tlsFor({ host, ca }: Trusted): NonNullable<ConnectionOptions['tls']> {
  const name: object = isIP(host) === 0 ? { servername: host } : { host };
  return ca === undefined ? name : { ...name, ca };
}
