import { isIP } from 'node:net';
import {
  NatsConnectionImpl,
  setTransportFactory,
  type ConnectionOptions,
  type NatsConnection,
  type Transport,
} from '@nats-io/transport-node';
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js';

/** The host that the certificate must be for, and the CA if it is not one of the system's. */
interface TlsTrust {
  readonly host: string;
  readonly ca: string | undefined;
}

type NatsConnectOptions = ConnectionOptions & { readonly trusted?: TlsTrust };

/**
 * Connects like the client, with two fixes. A connection that times out is closed; the client would leave it open. If a
 * server requires TLS without being asked, its certificate is checked against the host name; the client knows only the
 * address and would check for `localhost`.
 */
export function connectNats(
  options: NatsConnectOptions & { trusted: TlsTrust; isSecure: boolean },
): Promise<NatsConnection> {
  const { isSecure, ...rest } = options;
  setTransportFactory({ factory: createTransport, dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(isSecure ? { ...rest, tls: toTlsOptions(options.trusted) } : rest);
}

function createTransport(): Transport {
  const transport = new NodeTransport();
  const close = transport.close.bind(transport);
  transport.close = async (error) => {
    await close(error);
    if (!transport.connected) transport.discard();
  };
  const startTls = transport.startTLS.bind(transport);
  transport.startTLS = () => {
    const { trusted, ...options }: NatsConnectOptions = transport.options;
    transport.options = trusted ? { ...options, tls: toTlsOptions(trusted) } : options;
    return startTls();
  };
  return transport;
}

/** The client passes these options on to TLS, although its type does not declare them. */
function toTlsOptions({ host, ca }: TlsTrust): NonNullable<ConnectionOptions['tls']> {
  const name: object = isIP(host) === 0 ? { servername: host } : { host };
  return ca === undefined ? name : { ...name, ca };
}
