import { randomBytes } from 'node:crypto';
import {
  hide,
  limits,
  type Choices as ChoicesView,
  type HideTarget,
  type Mutes,
  type UnhideTarget,
} from '@unsaid/contract';
import type { Viewer } from '../auth/viewer.ts';
import type { CommentsService } from '../comments/comments.service.ts';
import { accountKey } from '../comments/comments.view.ts';
import type { FinalPairs } from '../matches/final-pairs.service.ts';
import type { Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { PublicIds } from '../pseudonyms/public-ids.ts';
import type { VentAccess } from '../vents/vent-access.service.ts';
import { isSameName, type Choices, type HiddenName } from './choices.model.ts';
import * as queries from './choices.queries.ts';
import type { ChoicesStore } from './choices.store.ts';

/** Hiding and muting. */
export interface ChoicesService {
  list(viewer: Pick<Viewer, 'userId'>): Promise<Omit<ChoicesView, 'success'>>;
  /** Idempotent. */
  hide(viewer: Viewer, target: HideTarget): Promise<void>;
  /** Idempotent. */
  unhide(viewer: Viewer, target: UnhideTarget): Promise<void>;
  setMutes(viewer: Viewer, mutes: Mutes): Promise<void>;
}

interface ChoicesDeps {
  readonly db: Databases;
  readonly publicIds: PublicIds;
  readonly store: ChoicesStore;
  readonly access: VentAccess;
  readonly comments: Pick<CommentsService, 'findNamed'>;
  readonly finalPairs: FinalPairs;
  readonly profiles: ProfilesService;
}

type NewName = Omit<HiddenName, 'id'>;

export function createChoicesService(deps: ChoicesDeps): ChoicesService {
  const { db, publicIds, store, access, comments, finalPairs, profiles } = deps;

  async function nameInMatch(userId: bigint | null): Promise<NewName | null> {
    const person = userId === null ? null : (await profiles.matchFacts(userId))?.person;
    if (userId === null || !person) return null;
    const username = (await profiles.names([userId])).get(userId)?.username ?? null;
    return { account: accountKey(person.speakerId), username, isFromMatch: true };
  }

  async function nameOnComment(
    viewer: Viewer,
    target: { readonly commentId: string; readonly ventId: string },
  ): Promise<NewName | null> {
    const named = await comments.findNamed(viewer, target);
    return named && { account: accountKey(named.speakerId), username: named.username, isFromMatch: false };
  }

  /** Null for a person who has left. */
  async function userBehind(account: string): Promise<bigint | null> {
    return (await queries.findUserBySpeaker(db.identity, Buffer.from(account, 'base64url'))) ?? null;
  }

  async function hideName(viewer: Viewer, name: NewName | null): Promise<void> {
    if (!name) throw new AppError('NOT_FOUND');
    await store.update(viewer.userId, (choices) => {
      if (choices.names.some((one) => isSameName(one, name))) return choices;
      assertRoom(choices.names.length, limits.hiddenNames);
      const id = randomBytes(9).toString('base64url');
      return { ...choices, names: [{ id, ...name }, ...choices.names] };
    });
    // Also where the name was hidden before: the pair may have failed then.
    const otherId = await userBehind(name.account);
    if (otherId !== null) await finalPairs.make(viewer, otherId);
  }

  async function unhideNames(viewer: Viewer, isMeant: (name: HiddenName) => boolean): Promise<void> {
    const { names } = await store.find(viewer.userId);
    const kept = new Set(names.filter((name) => !isMeant(name)).map(({ account }) => account));
    const freed = new Set(names.map(({ account }) => account).filter((account) => !kept.has(account)));
    // First: a repeated request still finds the name.
    for (const account of freed) {
      const otherId = await userBehind(account);
      if (otherId !== null) await finalPairs.undo(viewer, otherId);
    }
    await store.update(viewer.userId, (choices) =>
      replaced(
        choices,
        'names',
        choices.names.filter((name) => !isMeant(name)),
      ),
    );
  }

  async function hideItem(viewer: Viewer, kind: 'vents' | 'comments', id: string): Promise<void> {
    await store.update(viewer.userId, (choices) => {
      if (choices[kind].includes(id)) return choices;
      assertRoom(choices.vents.length + choices.comments.length, limits.hiddenItems);
      return { ...choices, [kind]: [id, ...choices[kind]] };
    });
  }

  const unhideItem = (viewer: Viewer, kind: 'vents' | 'comments', id: string) =>
    store.update(viewer.userId, (choices) =>
      replaced(
        choices,
        kind,
        choices[kind].filter((one) => one !== id),
      ),
    );

  function refOf(commentId: string) {
    const { ventId } = publicIds.comment.decode(commentId) ?? { ventId: 0n };
    return { kind: 'comment' as const, id: commentId, ventId: publicIds.vent.encode(ventId) };
  }

  return {
    async list({ userId }) {
      const { vents, comments: hidden, names, words, hashtags, emotions } = await store.find(userId);
      return {
        hidden: [...vents.map((id) => ({ kind: 'vent' as const, id })), ...hidden.map(refOf)],
        names: names.map(({ id, username }) => ({ _id: id, username })),
        mutes: { words: [...words], hashtags: [...hashtags], emotions: [...emotions] },
      };
    },

    async hide(viewer, target) {
      switch (target.kind) {
        case 'vent':
          await access.findVisible(db.content, target.id, viewer.person);
          return hideItem(viewer, 'vents', target.id);
        case 'comment':
          await comments.findNamed(viewer, { ventId: target.ventId, commentId: target.id });
          return hideItem(viewer, 'comments', target.id);
        case 'name':
          return hideName(
            viewer,
            'peerId' in target
              ? await nameInMatch(await finalPairs.findPeer(viewer, target.peerId, 'live'))
              : await nameOnComment(viewer, target),
          );
      }
    },

    async unhide(viewer, target) {
      if (target.kind === 'vent') return unhideItem(viewer, 'vents', target.id);
      if (target.kind === 'comment') return unhideItem(viewer, 'comments', target.id);
      if ('_id' in target) return unhideNames(viewer, ({ id }) => id === target._id);
      const name =
        'peerId' in target
          ? await nameInMatch(await finalPairs.findPeer(viewer, target.peerId, 'listed'))
          : await nameOnComment(viewer, target);
      if (name) await unhideNames(viewer, (one) => isMeantBy(one, name));
    },

    setMutes: ({ userId }, { words, hashtags, emotions }) =>
      store.update(userId, (choices) => ({
        ...choices,
        words: unique(words),
        hashtags,
        emotions: unique(emotions),
      })),
  };
}

/** What hides this comment, or was chosen in this match. */
const isMeantBy = (one: HiddenName, name: NewName) =>
  one.account === name.account &&
  (name.isFromMatch ? one.isFromMatch : !one.isFromMatch || one.username === name.username);

function assertRoom(count: number, max: number): void {
  if (count < max) return;
  throw new AppError('VALIDATION_FAILED', {
    message: hide.invalidMessage,
    fields: [{ path: 'about', rule: 'too_many' }],
  });
}

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** The same choices where nothing goes. */
function replaced<K extends keyof Choices>(choices: Choices, list: K, kept: Choices[K]): Choices {
  return kept.length === choices[list].length ? choices : { ...choices, [list]: kept };
}
