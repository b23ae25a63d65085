import type { HeldVent, VentSaid, VentView } from '@unsaid/contract';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { minuteMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { rowsOf, type Job, type JobRows } from '../../platform/job.ts';
import { listPutAside, UnreadableRow } from '../../platform/job-rows.ts';
import { describeFault } from '../../platform/logger.ts';
import { inPages } from '../../platform/pages.ts';
import { nothingBesides } from '../slots/slots.queries.ts';
import { nothingChosen } from '../vents/said.ts';
import { drawVentId } from '../vents/vents.queries.ts';
import {
  checkWords,
  findMade,
  getWrittenVent,
  isOpenFor,
  noVentYet,
  refuseFlood,
  writeVent,
  type VentInput,
} from '../vents/vents.ts';
import * as queries from './held-vents.queries.ts';
import {
  heldKeyOf,
  listOwnHeld,
  newestNumbers,
  noticeSlotsOf,
  openHeld,
  sealHeld,
  type Held,
} from './own-held.ts';
import { drawShortWaitMs, drawWaitMs, usuallyWithinHours } from './rhythm.ts';
import { claimSlot } from '../slots/slots.ts';
import { claimKey } from '../vents/idempotency.ts';
import type { ContentContext } from '../context.ts';

/**
 * Vents that go out later, at a moment that rhythm.ts draws. A vent shows its minute, and whoever reads the feed all the
 * time sees its second: who knows when somebody was here, a partner in a conversation for example, could otherwise tell
 * which vents are theirs.
 *
 * A held vent is one encrypted value, in a table that nobody but its author and the job reads. When it goes out it becomes
 * an ordinary vent, with the id, the time and the position of that minute.
 */
const batchSize = 100;
const everySeconds = 10;
/** Longer than from one run to the next: each moment has its timer before it comes. */
const aheadMs = minuteMs;
const slotKeyOf = ({ slotKey }: { readonly slotKey: Buffer }) => slotKey;
type LateRow = queries.DueRow & { readonly held: Held };
const heldVents = rowsOf('content', 'held vents', slotKeyOf);

/** The id that its author sees: of a key that no row has, and of this person alone. */
const idOf = (person: Person, number: number) =>
  (person.takenKeys('held', [number])[0] as Buffer).toString('base64url');

/** No row has the number 0, so an unknown id takes the same path as one that is gone. */
const keyOfId = async (ctx: ContentContext, person: Person, id: string) =>
  heldKeyOf(person, (await newestNumbers(ctx, person)).find((number) => idOf(person, number) === id) ?? 0);

const momentAfter = (ctx: ContentContext, waitMs: number) => new Date(ctx.clock.now() + waitMs);

/** Written as of this minute: a job that was late must not give it an earlier one. Null where it is gone. */
const publish = (ctx: ContentContext, slotKey: Buffer) =>
  inTransaction(ctx, async (ctx, afterCommit) => {
    // A concurrent rewrite deletes and reinserts the row: the second read finds it.
    const lock = async () => (await queries.lockHeld(ctx.db, [slotKey]))[0];
    const row = (await lock()) ?? (await lock());
    const held = row && openHeld(ctx, row);
    if (!held) return null;
    await queries.deleteHeld(ctx.db, [slotKey]);
    const { words, isOpen, number, speakerId, ventSlotKey } = held;
    const vent = await writeVent(
      ctx,
      {
        id: await drawVentId(ctx.db),
        words,
        isOpen,
        number,
        speakerId: Buffer.from(speakerId, 'base64url'),
        slotKey: Buffer.from(ventSlotKey, 'base64url'),
      },
      null,
    );
    afterCommit(() => ctx.feedCache.invalidateAll());
    return vent && vent.id;
  });

/** In a transaction of its own, at its own moment. A person who may not speak is asked about in memory, and nothing is written. */
async function goOut(ctx: ContentContext, slotKey: Buffer): Promise<void> {
  if (!ctx.ports.areVentsOpen()) return;
  const [row] = await queries.listHeld(ctx.db, [slotKey]);
  if (!row) return;
  const held = openHeld(ctx, row);
  if (!held) throw new UnreadableRow();
  const [isSilent] = await ctx.ports.silent.areSilent([noticeSlotsOf(held)]);
  if (!isSilent) await publish(ctx, slotKey);
}

function plan(ctx: ContentContext, rows: JobRows, slotKey: Buffer, delayMs: number): void {
  const name = slotKey.toString('latin1');
  if (ctx.heldTimers.has(name)) return;
  const cancel = ctx.clock.schedule(delayMs, async () => {
    ctx.heldTimers.delete(name);
    await rows
      .attempt({ slotKey }, heldVents, () => goOut(ctx, slotKey))
      // The store is gone: it is late then, and gets another moment.
      .catch((error: unknown) => ctx.logger.warn({ event: 'held_vent_waits', ...describeFault(error) }));
  });
  ctx.heldTimers.set(name, cancel);
}

/** No worker ran at its moment. Each gets another one soon: out together, they would show which vents were held. */
async function drawAgain(ctx: ContentContext, rows: JobRows, late: readonly LateRow[]): Promise<void> {
  const areSilent = await ctx.ports.silent.areSilent(late.map(({ held }) => noticeSlotsOf(held)));
  await rows.each(
    late.filter((_, n) => !areSilent[n]),
    heldVents,
    ({ slotKey }) => queries.updateMoment(ctx.db, slotKey, momentAfter(ctx, drawShortWaitMs(ctx.random))),
  );
}

/** Gives a timer to each that is due within the next minute. */
async function planDue(ctx: ContentContext, rows: JobRows): Promise<void> {
  const by = new Date(ctx.clock.now() + aheadMs);
  const pages = inPages<queries.DueRow, Buffer>(batchSize, {
    from: Buffer.alloc(0),
    list: (after) => queries.listDue(ctx.db, by, after, batchSize),
    cursorOf: slotKeyOf,
  });
  for await (const due of pages) {
    const late: LateRow[] = [];
    for (const { row, tries } of await rows.ready(due, heldVents)) {
      const held = openHeld(ctx, row);
      const delayMs = row.goesOutAt.getTime() - ctx.clock.now();
      if (tries === 0 && held && delayMs <= 0 && !ctx.heldTimers.has(row.slotKey.toString('latin1')))
        late.push({ ...row, held });
      else plan(ctx, rows, row.slotKey, delayMs > 0 ? delayMs : ctx.random() * minuteMs);
    }
    if (late.length > 0) await drawAgain(ctx, rows, late);
  }
}

export const releaseHeldVents = (ctx: ContentContext): Job => ({
  name: 'release-held-vents',
  jitteredIntervalSeconds: everySeconds,
  run: async (rows) => void (ctx.ports.areVentsOpen() && (await planDue(ctx, rows))),
  stop() {
    for (const cancel of ctx.heldTimers.values()) cancel();
    ctx.heldTimers.clear();
  },
});

/** The vent where an earlier request with this key posted it at once. */
export async function holdVent(
  ctx: ContentContext,
  viewer: Viewer,
  input: VentInput,
  key: Buffer | null,
): Promise<VentView | null> {
  const words = checkWords(ctx, input);
  const { person } = viewer;
  const isOpen = await isOpenFor(ctx, viewer, input);
  const asked = { ...nothingBesides, key };
  const isHeld = await claimSlot(ctx, person, 'vent', asked, async ({ number, takenKey }) => {
    await refuseFlood(ctx, person, { number, words });
    const slotKey = heldKeyOf(person, number);
    const goesOutAt = momentAfter(ctx, drawWaitMs(await ctx.readRhythm(), ctx.clock.now(), ctx.random));
    const held: Held = {
      words,
      isOpen,
      number,
      speakerId: person.speakerId.toString('base64url'),
      ventSlotKey: (person.slotKeys('vent', [number])[0] as Buffer).toString('base64url'),
      noticeSlots: Buffer.concat(person.noticeSlots()).toString('base64url'),
    };
    const row = { slotKey, goesOutAt, sealed: sealHeld(ctx, held, slotKey) };
    const claims = { takenKey, ...claimKey(ctx, key, { ventId: noVentYet, no: number }) };
    return (await queries.insertHeld(ctx.db, row, claims)) || null;
  });
  if (!isHeld) return (await findMade(ctx, viewer, key)) ?? null;
  // As after a vent that is seen: the time of the next list tells nothing either.
  await ctx.feedCache.invalidateAll();
  return null;
}

/** Newest first. */
export async function listHeld(ctx: ContentContext, person: Person): Promise<HeldVent[]> {
  const held = await listOwnHeld(ctx, person);
  const putAside = await listPutAside(ctx.db, held, heldVents, releaseHeldVents(ctx));
  return held.map((one) => {
    const { body, ...rest } = one.words;
    return {
      _id: idOf(person, one.number),
      ...nothingChosen,
      ...(rest as Omit<VentSaid, 'text'>),
      text: body,
      isStuck: putAside.has(one),
    };
  });
}

/** The hours within which a vent that is held now usually goes out. */
export const readUsualHours = async (ctx: ContentContext) =>
  usuallyWithinHours(await ctx.readRhythm(), ctx.clock.now());

export async function releaseHeld(ctx: ContentContext, viewer: Viewer, id: string): Promise<VentView> {
  const ventId = await publish(ctx, await keyOfId(ctx, viewer.person, id));
  if (ventId === null) throw new AppError('VENT_NOT_FOUND');
  return getWrittenVent(ctx, viewer, ventId);
}

export async function dropHeld(ctx: ContentContext, person: Person, id: string): Promise<void> {
  const slotKey = await keyOfId(ctx, person, id);
  // The second time for one that was rewritten meanwhile.
  const isGone =
    (await queries.deleteHeld(ctx.db, [slotKey])) || (await queries.deleteHeld(ctx.db, [slotKey]));
  if (!isGone) throw new AppError('VENT_NOT_FOUND');
}
