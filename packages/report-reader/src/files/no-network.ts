import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

/**
 * Disables sockets, servers and name resolution in this process. File readers need no network, so a file cannot make
 * one connect anywhere. Covers JavaScript only, not native code.
 */
export function disableNetwork(): void {
  const refuse = (): never => {
    throw new Error('A worker process has no network');
  };
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  dgram.createSocket = refuse;
  dgram.Socket.prototype.send = refuse;
  dgram.Socket.prototype.bind = refuse;
  for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse'] as const) {
    Object.assign(dns, { [name]: refuse });
    Object.assign(dns.promises, { [name]: refuse });
  }
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) {
    Object.defineProperty(globalThis, name, { value: refuse, configurable: false, writable: false });
  }
}
