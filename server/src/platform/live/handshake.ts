import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { livePath, liveTicketPrefix } from '@unsaid/contract';
import { securityHeaders, userPages } from '../http/headers.ts';
import type { Metrics } from '../metrics.ts';
import type { LiveGrant, LiveTickets } from './tickets.ts';

const refusals = {
  malformed: '400 Bad Request',
  forbidden_origin: '403 Forbidden',
  bad_ticket: '401 Unauthorized',
  too_many: '429 Too Many Requests',
  unavailable: '503 Service Unavailable',
} as const;
export type Refusal = keyof typeof refusals;

interface HandshakeDeps<M> {
  readonly publicOrigin: URL;
  readonly corsOrigins: readonly string[];
  readonly metrics: Metrics;
  readonly tickets: LiveTickets;
  findMember(session: Buffer): Promise<M | null>;
  isFull(): boolean;
}

/** Checks before a connection is opened: origin, room, ticket, session. */
export interface Handshake<M> {
  judge(request: IncomingMessage): Promise<Refusal | { readonly grant: LiveGrant; readonly member: M }>;
  refuse(socket: Duplex, reason: Refusal): void;
}

export function createHandshake<M>(deps: HandshakeDeps<M>): Handshake<M> {
  const { publicOrigin, corsOrigins, metrics, tickets, findMember, isFull } = deps;
  const allowedOrigins = new Set([publicOrigin.origin, ...corsOrigins]);
  const refusalHeaders = Object.entries({
    ...securityHeaders(userPages(publicOrigin)),
    connection: 'close',
    'content-length': '0',
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return {
    async judge(request) {
      if (!allowedOrigins.has(request.headers.origin ?? '')) return 'forbidden_origin';
      if (isFull()) return 'unavailable';
      const grant = await tickets.redeem(ticketIn(request));
      const member = grant && (await findMember(grant.session));
      return member ? { grant, member } : 'bad_ticket';
    },

    refuse(socket, reason) {
      metrics.liveHandshakes.inc({ outcome: reason });
      // The other side may keep its half open for ever.
      socket.once('finish', () => socket.destroy());
      socket.end(`HTTP/1.1 ${refusals[reason]}\r\n${refusalHeaders}\r\n`);
    },
  };
}

function ticketIn({ headers }: IncomingMessage): string {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  return offered.find((one) => one.startsWith(liveTicketPrefix))?.slice(liveTicketPrefix.length) ?? '';
}

/** Whether a request asks for the live connection. Others with an Upgrade header are answered as if they had none. */
export function isLiveUpgrade({ url, method, headers }: IncomingMessage): boolean {
  return url === livePath && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
