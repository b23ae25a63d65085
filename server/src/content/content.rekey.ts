import { dayInIndia } from '../platform/clock.ts';
import { createAddedLayers } from '../platform/crypto/layers.ts';
import {
  bytesOf,
  createResealer,
  textOf,
  type KeyChange,
  type RekeyedSchema,
  type Row,
} from '../platform/rekey/rekeyed-table.ts';
import { createItemCodec } from '../kernel/public-ids.ts';
import { createSpeakers, ventPlace, type SpeakerPlace, type Voice } from '../kernel/speakers.ts';
import { addLayers } from './comments/shut-outs.ts';
import { createThanksRules } from './comments/thanks.ts';

/** What replacing a leaked key does to content. Nothing here knows a person: rows are taken as they lie. */
export function rekeyedContent(change: KeyChange, now: number): RekeyedSchema {
  const { before, after } = change;
  const layers = createAddedLayers(before, after);
  const [speakersWere, speakers] = [createSpeakers(before), createSpeakers(after)];
  const [resultsWere, results] = [createItemCodec(before, 'result/1'), createItemCodec(after, 'result/1')];
  const thanks = createThanksRules(after);
  const sealTicket = createResealer(change, 'leaving/1');
  const sealHeld = createResealer(change, 'held-vent/1');
  const ventId = (row: Row) => BigInt(textOf(row, 'vent_id'));
  const speakerAt = (row: Row, place: SpeakerPlace) =>
    speakersWere.encryptAgain([{ ...place, speaker: bytesOf(row, 'speaker') }], speakers)[0] as Buffer;

  /** A held vent has the slot of the vent that it becomes. */
  function withVentSlot(plain: Buffer): Buffer {
    const { ventSlotKey } = JSON.parse(plain.toString()) as { readonly ventSlotKey: string };
    const slot = layers.addToBlocks('content.vents.slot_key', Buffer.from(ventSlotKey, 'base64url'));
    // Of the same length, so the padding stays.
    return Buffer.from(plain.toString().replace(ventSlotKey, slot.toString('base64url')));
  }

  return {
    tables: [
      {
        name: 'content.vents',
        key: ['id'],
        changes: ['speaker', 'slot_key'],
        rekey: (row) => ({
          speaker: speakerAt(row, ventPlace(BigInt(textOf(row, 'id')))),
          slot_key: layers.addToBlocks('content.vents.slot_key', bytesOf(row, 'slot_key')),
        }),
      },
      {
        name: 'content.comments',
        key: ['vent_id', 'no'],
        reads: { voice: 't.voice' },
        changes: ['speaker', 'slot_key'],
        rekey: (row) => ({
          speaker: speakerAt(row, {
            voice: textOf(row, 'voice') as Voice,
            ventId: ventId(row),
            no: Number(textOf(row, 'no')),
          }),
          slot_key: layers.addToBlocks('content.comments.slot_key', bytesOf(row, 'slot_key')),
        }),
      },
      {
        name: 'content.reactions',
        key: ['vent_id', 'reactor_key'],
        changes: ['reactor_key'],
        rekey: (row) => ({
          reactor_key: layers.addToBlocks('content.reactions.reactor_key', bytesOf(row, 'reactor_key')),
        }),
      },
      {
        name: 'content.taken_slots',
        key: ['taken_key'],
        changes: ['taken_key'],
        rekey: (row) => ({
          taken_key: layers.addToBlocks('content.taken_slots.taken_key', bytesOf(row, 'taken_key')),
        }),
      },
      {
        name: 'content.thanks',
        key: ['vent_id', 'no'],
        changes: ['thank_key', 'shown_from'],
        rekey: (row) => ({
          thank_key: thanks.keyOf({ ventId: ventId(row), no: Number(textOf(row, 'no')) }),
          shown_from: thanks.shownFromAgain(ventId(row), textOf(row, 'shown_from'), dayInIndia(now)),
        }),
      },
      {
        name: 'content.shut_outs',
        key: ['vent_id', 'voice_key'],
        changes: ['voice_key'],
        rekey: (row) => ({ voice_key: addLayers(layers, bytesOf(row, 'voice_key')) }),
      },
      {
        name: 'content.idempotency',
        key: ['key'],
        changes: ['key', 'result'],
        rekey(row) {
          const result = Buffer.isBuffer(row['result']) ? resultsWere.decode(row['result']) : null;
          return {
            key: layers.addToHash('content.idempotency.key', bytesOf(row, 'key')),
            result: result ? results.encode(result) : (row['result'] ?? null),
          };
        },
      },
      {
        name: 'content.leavings',
        key: ['ticket_key'],
        changes: ['ticket_key', 'ticket'],
        rekey(row) {
          const was = bytesOf(row, 'ticket_key');
          const is = layers.addToBlocks('content.leavings.ticket_key', was);
          return { ticket_key: is, ticket: sealTicket(bytesOf(row, 'ticket'), [was, is]) };
        },
      },
      {
        name: 'content.held_vents',
        key: ['slot_key'],
        changes: ['slot_key', 'sealed'],
        rekey(row) {
          const was = bytesOf(row, 'slot_key');
          const is = layers.addToBlocks('content.held_vents.slot_key', was);
          return { slot_key: is, sealed: sealHeld(bytesOf(row, 'sealed'), [was, is], withVentSlot) };
        },
      },
    ],
  };
}
