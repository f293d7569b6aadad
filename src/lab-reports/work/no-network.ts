import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

/**
 * From here on nothing in this process opens a connection, a socket or a name. Libraries that read files need none;
 * one that is led to by a file finds no way out. It binds JavaScript, not machine code.
 */
export function leaveNetwork(): void {
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
