import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { announcesBody } from './body-receiver.ts';

/** How long a caller may go on sending a body that nobody reads, after its response. */
const LINGER_MS = 2000;
const WARNING_INTERVAL_MS = 60_000;

/**
 * Limits the connections of a server, in total and per address, and what a connection may do: it must send something
 * within twice HTTP_BODY_SECONDS while a body is under way, and is closed if its body goes on after the response.
 */
export function limitConnections(server: FastifyInstance, config: Config, log: Log): void {
  const { server: listener } = server;
  listener.maxConnections = config.HTTP_CONNECTIONS;
  limitPerAddress(listener, config, log);
  // Twice as long: a body that is received into memory gets its 408 first.
  const stallMs = config.HTTP_BODY_SECONDS * 2000;
  server.addHook('onRequest', async ({ raw }, reply) => {
    if (!isOnTheWay(raw)) return;
    raw.socket.setTimeout(stallMs);
    raw.once('end', () => {
      // After the response, the time-out is the one of an idle connection.
      if (!reply.raw.writableFinished) raw.socket.setTimeout(0);
    });
  });
  server.addHook('onResponse', async ({ raw }) => {
    if (!isOnTheWay(raw)) return;
    const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
    timer.unref();
    const stop = () => clearTimeout(timer);
    raw.once('end', stop).once('close', stop);
  });
}

/** A request that was injected, without a connection, is never complete. */
const isOnTheWay = ({ complete, headers, socket }: IncomingMessage): boolean =>
  !complete && announcesBody(headers) && socket instanceof Socket;

function limitPerAddress(listener: Server, config: Config, log: Log): void {
  const isExempt = openExemption(config.TRUSTED_PROXIES);
  const counts = new Map<string, number>();
  const warn = warnSometimes(log);
  listener.on('drop', () => warn('connections were refused: HTTP_CONNECTIONS is reached'));
  listener.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket;
    if (address === undefined || isExempt(address)) return;
    const count = (counts.get(address) ?? 0) + 1;
    if (count > config.HTTP_CONNECTIONS_PER_ADDRESS) {
      warn('connections were refused: an address has reached HTTP_CONNECTIONS_PER_ADDRESS');
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  });
}

/** A reverse proxy holds many connections for many callers; without configuration, it may be on this machine. */
export function openExemption(proxies: readonly string[]): (address: string) => boolean {
  const trusted = proxies.map(parseNetwork);
  return (text) => {
    // A proxy may name a caller by something else than an address.
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    if (proxies.length === 0 && address.range() === 'loopback') return true;
    return ipaddr.subnetMatch(address, { trusted }, 'other') === 'trusted';
  };
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function warnSometimes(log: Log): (message: string) => void {
  let lastMs = -Infinity;
  return (message) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < WARNING_INTERVAL_MS) return;
    lastMs = nowMs;
    log.warn(message);
  };
}
