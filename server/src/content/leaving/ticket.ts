import { createKeyAead } from '../../platform/crypto/aead.ts';
import { dayMs, dayOf, startOfDay, type Day } from '../../platform/clock.ts';
import type { Keys } from '../../platform/crypto/keys.ts';
import type { ItemKind } from '../../kernel/person-keys.ts';
import type { RemovalSpan } from '../../kernel/leaving-spans.ts';

/** All data kept of a departed person whose words are not removed yet. */
export interface Ticket {
  /** The keys that slot keys are derived from. Not the author seed: reactions and reports become unlinkable at once. */
  readonly secrets: Readonly<Record<ItemKind, Buffer>>;
  /** The highest slot number used. Final: a ticket is written after its owner's slots are closed. */
  readonly lastSlots: Readonly<Record<ItemKind, number>>;
  readonly leftOn: Day;
  readonly span: RemovalSpan;
}

const secretBytes = 32;
const spans: readonly RemovalSpan[] = ['30days', '3days'];
/** Two secrets, two numbers, a day and a span. */
const plainBytes = 80;

function write({ secrets, lastSlots, leftOn, span }: Ticket): Buffer {
  const plain = Buffer.alloc(plainBytes);
  secrets.vent.copy(plain);
  secrets.comment.copy(plain, secretBytes);
  plain.writeUInt32BE(lastSlots.vent, 64);
  plain.writeUInt32BE(lastSlots.comment, 68);
  plain.writeUInt32BE(startOfDay(leftOn) / dayMs, 72);
  plain.writeUInt8(spans.indexOf(span), 76);
  return plain;
}

function read(plain: Buffer): Ticket {
  return {
    secrets: { vent: plain.subarray(0, secretBytes), comment: plain.subarray(secretBytes, 2 * secretBytes) },
    lastSlots: { vent: plain.readUInt32BE(64), comment: plain.readUInt32BE(68) },
    leftOn: dayOf(plain.readUInt32BE(72) * dayMs),
    span: spans[plain.readUInt8(76)] as RemovalSpan,
  };
}

/** AEAD encryption of tickets. The plaintext has a fixed length, and the row key is the additional data. */
export function createTicketCipher(keys: Keys) {
  const cipher = createKeyAead(keys, 'leaving/1');
  return {
    seal: (ticket: Ticket, ticketKey: Buffer) => cipher.seal(write(ticket), ticketKey),
    /** Null if it was not sealed under our key for this row. */
    open(sealed: Buffer, ticketKey: Buffer): Ticket | null {
      const plain = cipher.open(sealed, ticketKey);
      return plain && read(plain);
    },
  };
}
