import { randomInt } from 'node:crypto';
import { dayMs, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { eraseLater, findPen } from './pens.queries.ts';

/** After the last of its vents has gone, and then at no particular moment: days of leaving could be laid side by side. */
const shortestMs = 73 * 60 * 60 * 1000;
const longestMs = 30 * dayMs;

export function pensPrivacy(db: Databases, clock: Clock): PrivacyPart {
  return {
    feature: 'pen',
    tables: ['content.pens'],
    async export({ authorKey }) {
      const pen = await findPen(db.content, authorKey);
      return {
        allowComments: pen?.allowComments ?? true,
        pausedUntil: pen?.suspendedUntil?.toISOString() ?? null,
        notYetSeen: pen && {
          hearts: pen.sinceHeart,
          hugs: pen.sinceHug,
          listens: pen.sinceListen,
          comments: pen.sinceComments,
        },
      };
    },
    // While its vents are still fading it must go on saying whether they take comments: a pen that
    // vanished at once would open or close all of them together.
    erase: ({ authorKey }) => {
      const eraseAfter = new Date(
        clock.now() + shortestMs + Math.floor((longestMs - shortestMs) * (randomInt(1e6) / 1e6)),
      );
      return transaction(db.content, (tx) => eraseLater(tx, authorKey, eraseAfter));
    },
  };
}
