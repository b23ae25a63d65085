import { createBox } from '../platform/boxes.ts';
import { dayMs, dayOf, startOfDay, type Day } from '../platform/clock.ts';
import type { Keys } from '../platform/keys.ts';
import type { ItemKind } from '../platform/persons.ts';
import type { RemovalSpan } from './leaving.spans.ts';

/** All that is kept of somebody whose words are still to go. */
export interface Ticket {
  /** What the keys of their slots are made with. Not the seed: reactions and reports are nobody's from the first moment. */
  readonly secrets: Readonly<Record<ItemKind, Buffer>>;
  /** The highest number taken. Final: a ticket is written after its owner's slots were closed. */
  readonly lasts: Readonly<Record<ItemKind, number>>;
  readonly leftOn: Day;
  readonly span: RemovalSpan;
}

/** Tickets of one length, encrypted, and bound to the row that they stand in. */
export interface TicketBox {
  seal(ticket: Ticket, ticketKey: Buffer): Buffer;
  /** Null where our key did not seal it, or not for this row. */
  open(sealed: Buffer, ticketKey: Buffer): Ticket | null;
}

const secretBytes = 32;
const spans: readonly RemovalSpan[] = ['30days', '3days'];
/** Two secrets, two numbers, a day and a span. */
const plainBytes = 80;

function write({ secrets, lasts, leftOn, span }: Ticket): Buffer {
  const plain = Buffer.alloc(plainBytes);
  secrets.vent.copy(plain);
  secrets.comment.copy(plain, secretBytes);
  plain.writeUInt32BE(lasts.vent, 64);
  plain.writeUInt32BE(lasts.comment, 68);
  plain.writeUInt32BE(startOfDay(leftOn) / dayMs, 72);
  plain.writeUInt8(spans.indexOf(span), 76);
  return plain;
}

function read(plain: Buffer): Ticket {
  return {
    secrets: { vent: plain.subarray(0, secretBytes), comment: plain.subarray(secretBytes, 2 * secretBytes) },
    lasts: { vent: plain.readUInt32BE(64), comment: plain.readUInt32BE(68) },
    leftOn: dayOf(plain.readUInt32BE(72) * dayMs),
    span: spans[plain.readUInt8(76)] as RemovalSpan,
  };
}

export function createTicketBox(keys: Keys): TicketBox {
  // Lasting: with a key that was dropped from the ring, words would stay for ever.
  const box = createBox(keys.lasting('leaving/1'));
  return {
    seal: (ticket, ticketKey) => box.seal(write(ticket), ticketKey),
    open(sealed, ticketKey) {
      const plain = box.open(sealed, ticketKey);
      return plain && read(plain);
    },
  };
}
