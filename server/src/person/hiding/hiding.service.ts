import type { Base } from '../../kernel/base.ts';
import { randomBytes } from 'node:crypto';
import {
  hide,
  limits,
  type Choices as ChoicesView,
  type HideTarget,
  type Mutes,
  type UnhideTarget,
} from '@unsaid/contract';
import type { Viewer } from '../../kernel/viewer.ts';
import type { CommentsService } from '../../content/comments/comments.service.ts';
import type { DecisionsService } from '../../matching/decisions.service.ts';
import type { MatchHistoryService } from '../../matching/match-history.service.ts';
import { AppError } from '../../platform/errors.ts';
import { choicesView, type Identity } from '../../identity/index.ts';
import type { VentAccess } from '../../content/vents/vent-access.service.ts';
import { accountKey, isSameName, type Choices, type HiddenName } from '../../kernel/choices.ts';

/** Hiding and muting. */
export interface HidingService {
  list(viewer: Pick<Viewer, 'userId'>): Promise<Omit<ChoicesView, 'success'>>;
  /** Idempotent. */
  hide(viewer: Viewer, target: HideTarget): Promise<void>;
  /** Idempotent. */
  unhide(viewer: Viewer, target: UnhideTarget): Promise<void>;
  setMutes(viewer: Viewer, mutes: Mutes): Promise<void>;
}

interface HidingDeps extends Pick<Base, 'publicIds'> {
  readonly store: Identity['choices'];
  readonly access: VentAccess;
  readonly comments: Pick<CommentsService, 'findNamed'>;
  readonly matches: Pick<DecisionsService, 'end'> & Pick<MatchHistoryService, 'findPeer'>;
  readonly profiles: Identity['profiles'];
}

type NewName = Omit<HiddenName, 'id'>;

export function createHidingService(deps: HidingDeps): HidingService {
  const { publicIds, store, access, comments, matches, profiles } = deps;

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

  async function hideName(viewer: Viewer, name: NewName | null): Promise<void> {
    if (!name) throw new AppError('NOT_FOUND');
    await store.update(viewer.userId, (choices) => {
      if (choices.names.some((one) => isSameName(one, name))) return choices;
      assertRoom(choices.names.length, limits.hiddenNames);
      const id = randomBytes(9).toString('base64url');
      return { ...choices, names: [{ id, ...name }, ...choices.names] };
    });
    // From now on no search pairs the two. Also where the name was hidden before: ending the pair may have failed then.
    const otherId = await profiles.findUserBySpeaker(Buffer.from(name.account, 'base64url'));
    if (otherId !== null) await matches.end(viewer, otherId);
  }

  const unhideNames = (viewer: Viewer, isMeant: (name: HiddenName) => boolean) =>
    store.update(viewer.userId, (choices) =>
      replaced(
        choices,
        'names',
        choices.names.filter((name) => !isMeant(name)),
      ),
    );

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

  return {
    list: async ({ userId }) => choicesView(await store.find(userId), publicIds),

    async hide(viewer, target) {
      switch (target.kind) {
        case 'vent':
          await access.assertVisible(viewer, target.id);
          return hideItem(viewer, 'vents', target.id);
        case 'comment':
          await comments.findNamed(viewer, { ventId: target.ventId, commentId: target.id });
          return hideItem(viewer, 'comments', target.id);
        case 'name':
          return hideName(
            viewer,
            'peerId' in target
              ? await nameInMatch(await matches.findPeer(viewer, target.peerId))
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
          ? await nameInMatch(await matches.findPeer(viewer, target.peerId, 'listed'))
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
