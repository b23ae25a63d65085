import type { Claims } from '../slots/slots.queries.ts';
import { tellsReadersToDie } from '@unsaid/guard/readers';
import {
  nothingSaid,
  type ParsedRequestOf,
  type VentSaid,
  type VentView,
  type createVent,
} from '@unsaid/contract';
import { startOfMinute } from '../../platform/clock.ts';
import { inTransaction, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { closeHeld, countAlike } from '../held/own-held.ts';
import { claimSlot } from '../slots/slots.ts';
import type { VentRow } from '../feed/feed.hot.queries.ts';
import { countSameText, findOwnVent, listAllOwnIds } from './authored-vents.ts';
import { claimKey, findByKey } from './idempotency.ts';
import { languageOf } from '@unsaid/guard/language';
import { openVentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import { loadVents, presentNewVent, presentVents } from './vent-loader.ts';
import { nothingChosen, toColumns, type NewWords } from './said.ts';
import * as queries from './vents.queries.ts';
import { statesAllowing, statesShownToAuthor, type VentState } from './vents.state.ts';
import type { ContentContext } from '../context.ts';

export type VentInput = Omit<ParsedRequestOf<typeof createVent>['body'], 'later'>;

/** A vent that is ready to be written. */
export interface ReadyVent {
  readonly id: bigint;
  readonly words: NewWords;
  readonly isOpen: boolean;
  /** Of the slot that it has. */
  readonly number: number;
  readonly slotKey: Buffer;
  readonly speakerId: Buffer;
}

/** In place of its id, with the key of a vent that was held back. */
export const noVentYet = 0n;

const nothingYet = { state: 'visible', heart: 0, hug: 0, listen: 0, comments: 0 } as const;

/** The same text this often within a few minutes is an accident or a flood. */
const sameTextLimit = 5;
const sameTextMs = 5 * 60_000;

async function getOne(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  ventId: bigint,
): Promise<VentView> {
  const loaded = await loadVents(ctx, from, [ventId]);
  const [vent] = await presentVents(ctx, from, viewer, loaded, { isAskedFor: true });
  if (!vent) throw new AppError('VENT_NOT_FOUND');
  return vent;
}

/** For everybody but its author the vent is not found, like one that does not exist. */
async function assertAuthor(
  ctx: ContentContext,
  viewer: Viewer,
  sealedId: string,
  states: readonly VentState[],
): Promise<bigint> {
  const ventId = openVentId(ctx.publicIds, sealedId);
  const vent = await findOwnVent(ctx, viewer.person, ventId);
  if (!vent || !states.includes(vent.state)) throw new AppError('VENT_NOT_FOUND');
  return ventId;
}

/** What was typed, or an error where it identifies somebody or tells its readers to die. */
export function checkWords(
  ctx: ContentContext,
  { allowComments: _allow, isSure, ...typed }: VentInput,
): NewWords {
  const { emotion: _emotion, need: _need, keepDays: _days, ...texts } = typed;
  refuseIdentity(ctx.metrics, texts, isSure);
  if (tellsReadersToDie(`${typed.title}\n${typed.text}`)) {
    ctx.metrics.guardRefusals.inc({ rule: 'encourages_self_harm' });
    throw new AppError('ENCOURAGES_SELF_HARM');
  }
  // What was not sent is absent here, never undefined.
  return toColumns({ ...nothingSaid, ...nothingChosen, ...(typed as VentSaid) });
}

/** Throws where the author wrote the same text again and again before this number, whether it is out or held. */
export const refuseFlood = async (
  ctx: ContentContext,
  person: Person,
  { number, words }: { readonly number: number; readonly words: NewWords },
): Promise<void> => {
  const since = new Date(ctx.clock.now() - sameTextMs);
  const [same, held] = await Promise.all([
    countSameText(ctx, person, number, { ...words, since }),
    countAlike(ctx, person, number, words),
  ]);
  if (same + held >= sameTextLimit - 1) throw new AppError('DUPLICATE_VENT');
};

/** Writes a vent of this minute. Null where what it claims was taken. Invalidate the feed after its commit. */
export const writeVent = async (
  ctx: ContentContext,
  { id, words, isOpen, number, slotKey, speakerId }: ReadyVent,
  claims: Claims | null,
): Promise<VentRow | null> => {
  const vent = {
    // First: a field of the request must not replace what the server sets.
    ...words,
    id,
    speaker: ctx.speakers.encrypt(ventPlace(id), speakerId, number),
    slotKey,
    // Readers see the minute. A finer time is not stored either.
    createdAt: startOfMinute(ctx.clock.now()),
    language: languageOf(`${words.title}\n${words.body}`),
  };
  if (!(await queries.insertVent(ctx.db, vent, isOpen, claims))) return null;
  return { ...vent, ...nothingYet, allowComments: isOpen };
};

/**
 * Whether it takes comments, or waits for a hug. A vent that wants a hug is open for listeners, and refuses comments:
 * whether it is closed would be the setting of its author.
 */
export const isOpenFor = async (
  ctx: ContentContext,
  { userId }: Viewer,
  { need, allowComments }: VentInput,
): Promise<boolean> => need === 'hug' || (allowComments ?? (await ctx.ports.people.allowsComments(userId)));

/** What an earlier request with this key made: null for a vent that was held back. Undefined where there was none. */
export const findMade = async (
  ctx: ContentContext,
  viewer: Viewer,
  key: Buffer | null,
): Promise<VentView | null | undefined> => {
  const made = await findByKey(ctx, key);
  if (!made) return undefined;
  return made.ventId === noVentYet ? null : getOne(ctx, ctx.db, viewer, made.ventId);
};

/** A vent that the viewer has just written. */
export const getWrittenVent = (ctx: ContentContext, viewer: Viewer, ventId: bigint): Promise<VentView> =>
  getOne(ctx, ctx.db, viewer, ventId);

/** Null where an earlier request with this key held it back. */
export async function postVent(
  ctx: ContentContext,
  viewer: Viewer,
  input: VentInput,
  key: Buffer | null,
): Promise<VentView | null> {
  const words = checkWords(ctx, input);
  const { person } = viewer;
  const isOpen = await isOpenFor(ctx, viewer, input);
  const also = queries.nextVentId;
  const vent = await claimSlot(ctx, person, 'vent', { key, also }, async ({ number, takenKey }, drawn) => {
    // Nobody wrote between this check and the number that is claimed: concurrent vents of one author claim the same.
    await refuseFlood(ctx, person, { number, words });
    const { id } = drawn as { id: bigint };
    const [slotKey] = person.slotKeys('vent', [number]) as [Buffer];
    return writeVent(
      ctx,
      { id, words, isOpen, number, slotKey, speakerId: person.speakerId },
      { takenKey, ...claimKey(ctx, key, { ventId: id, no: 0 }) },
    );
  });
  if (vent) {
    await ctx.feedCache.invalidateAll();
    return presentNewVent(ctx, viewer, vent);
  }
  const made = await findMade(ctx, viewer, key);
  if (made === undefined) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
  return made;
}

export const readVent = (
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  sealedId: string,
): Promise<VentView> => getOne(ctx, from, viewer, openVentId(ctx.publicIds, sealedId));

/** Out of sight at once. The job deletes the row (deletions.ts). */
export async function removeVent(ctx: ContentContext, viewer: Viewer, sealedId: string): Promise<void> {
  const ventId = await assertAuthor(ctx, viewer, sealedId, statesAllowing('delete'));
  await inTransaction(ctx, async (ctx, afterCommit) => {
    if (!(await queries.markDeleted(ctx.db, ventId))) throw new AppError('VENT_NOT_FOUND');
    afterCommit(() => ctx.feedCache.invalidateAll());
  });
}

export async function setAllowComments(
  ctx: ContentContext,
  viewer: Viewer,
  sealedId: string,
  allowComments: boolean,
): Promise<void> {
  const ids = [await assertAuthor(ctx, viewer, sealedId, statesShownToAuthor)];
  await inTransaction(ctx, ({ db }) => queries.updateAllowComments(db, ids, allowComments));
  await ctx.feedCache.invalidateAll();
}

export async function closeVents(ctx: ContentContext, viewer: Viewer): Promise<void> {
  // First: one that goes out meanwhile is among the vents.
  await closeHeld(ctx, viewer.person);
  for await (const ids of listAllOwnIds(ctx, viewer.person))
    await inTransaction(ctx, ({ db }) => queries.updateAllowComments(db, ids, false));
  await ctx.feedCache.invalidateAll();
}
