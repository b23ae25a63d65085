import { emotions } from '@unsaid/contract';
import { addDays, dayMs, dayOf, startOfDay, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { VentedFeelings, VentsService } from '../vents/vents.service.ts';
import { cellOf, noWeights } from './emotion-space.ts';
import { drawShuffle, maxTags, type ProfileCodec } from './match-profile.codec.ts';
import { awayDays } from './matches.choice.ts';
import * as queries from './matches.queries.ts';

/**
 * Takes over into matching what people feel, for everybody at once and only every few hours: so nothing in
 * anybody's suggestions can be tied to a vent that has just appeared.
 */
export interface RebuildService {
  rebuild(): Promise<{ people: number }>;
}

interface RebuildDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly codec: ProfileCodec;
  readonly profiles: ProfilesService;
  readonly vents: VentsService;
}

const window = { days: 60, halfLifeDays: 14 };
/** Saying that nothing is up says half as much. */
const neutralWeight = 0.5;
const batchSize = 1000;
/** A tag that one person uses is shared with nobody, and of the others the best known are enough. */
const fewestPeople = 2;
const mostTags = 50_000;

export function createRebuildService(deps: RebuildDeps): RebuildService {
  const { db, clock, seals, codec, profiles, vents } = deps;

  /** Everybody who is around, in the order of their match keys: written so, the table says nothing of who came when. */
  async function callTheRoll(): Promise<Roll> {
    const roll = createRoll();
    for await (const batch of profiles.seenSince(addDays(today(clock), -awayDays))) {
      for (const { userId, speakerId, lastSeenOn } of batch) {
        roll.add(seals.matchKey(userId), speakerId, startOfDay(lastSeenOn) / dayMs);
      }
    }
    roll.sort();
    return roll;
  }

  async function settle(): Promise<void> {
    for (;;) {
      const settled = await transaction(db.matching, async (tx) => {
        await queries.lockRebuild(tx);
        return queries.settlePairs(tx, batchSize);
      });
      if (settled < batchSize) return;
    }
  }

  return {
    async rebuild() {
      const generation = (await queries.currentGeneration(db.matching)) + 1;
      const roll = await callTheRoll();
      const vented = await vents.feelings(window);
      const authorsByEmotion = new Map<string, number>();
      const peopleByTag = new Map<number, number>();
      for (let done = 0; done < roll.size; done += batchSize) {
        const people = roll.slice(done, done + batchSize);
        const rows = people.map(({ matchKey, speakerId, dayNumber }) => {
          const said = vented.get(speakerId.toString('hex'));
          const weights = weigh(said);
          const tags = [...new Set((said?.hashtags ?? []).map(codec.tagNumber))].slice(0, maxTags);
          for (const [n, emotion] of emotions.entries()) {
            if ((weights[n] ?? 0) > 0)
              authorsByEmotion.set(emotion, (authorsByEmotion.get(emotion) ?? 0) + 1);
          }
          for (const tag of tags) peopleByTag.set(tag, (peopleByTag.get(tag) ?? 0) + 1);
          return {
            matchKey,
            cell: cellOf(weights),
            shuffle: drawShuffle(),
            generation,
            sealed: codec.seal({ weights, tags, lastActiveOn: dayOf(dayNumber * dayMs) }),
          };
        });
        await transaction(db.matching, async (tx) => {
          await queries.lockRebuild(tx);
          // Only who is still there is written back: somebody may have left since the roll was called.
          const taken = await queries.takeProfiles(
            tx,
            rows.map(({ matchKey }) => matchKey),
          );
          const there = new Set(taken.map((key) => key.toString('hex')));
          await queries.insertProfiles(
            tx,
            rows.filter(({ matchKey }) => there.has(matchKey.toString('hex'))),
          );
        });
      }
      const shared = [...peopleByTag]
        .filter(([, people]) => people >= fewestPeople)
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, mostTags);
      await transaction(db.matching, async (tx) => {
        await queries.lockRebuild(tx);
        await queries.endRebuild(tx, { generation, authorsByEmotion, peopleByTag: new Map(shared) });
      });
      await settle();
      return { people: roll.size };
    },
  };
}

function weigh(said: VentedFeelings | undefined): readonly number[] {
  if (!said) return noWeights;
  return emotions.map(
    (emotion) => (said.weights.get(emotion) ?? 0) * (emotion === 'Neutral' ? neutralWeight : 1),
  );
}

interface RollEntry {
  readonly matchKey: Buffer;
  readonly speakerId: Buffer;
  readonly dayNumber: number;
}

interface Roll {
  readonly size: number;
  add(matchKey: Buffer, speakerId: Buffer, dayNumber: number): void;
  sort(): void;
  slice(from: number, to: number): RollEntry[];
}

const keyBytes = 16;
const speakerBytes = 8;
const entryBytes = keyBytes + speakerBytes + 2;

/** A million people at 26 bytes each, where as many objects would take ten times that. */
function createRoll(): Roll {
  let entries = Buffer.alloc(entryBytes * 1024);
  let size = 0;
  let order = new Float64Array();
  return {
    get size() {
      return size;
    },
    add(matchKey, speakerId, dayNumber) {
      if ((size + 1) * entryBytes > entries.length) {
        const larger = Buffer.alloc(entries.length * 2);
        entries.copy(larger);
        entries = larger;
      }
      const at = size * entryBytes;
      matchKey.copy(entries, at);
      speakerId.copy(entries, at + keyBytes);
      entries.writeUInt16BE(dayNumber, at + keyBytes + speakerBytes);
      size += 1;
    },
    sort() {
      // The first four bytes of the key and the place in one number, so that plain numbers can be sorted.
      const places = 2 ** 21;
      if (size > places) throw new Error('more people than a rebuild in one piece can hold');
      order = Float64Array.from(
        { length: size },
        (_, n) => entries.readUInt32BE(n * entryBytes) * places + n,
      );
      order.sort();
      order = order.map((both) => both % places);
    },
    slice(from, to) {
      return Array.from(order.subarray(from, to), (place) => {
        const at = place * entryBytes;
        return {
          matchKey: entries.subarray(at, at + keyBytes),
          speakerId: entries.subarray(at + keyBytes, at + keyBytes + speakerBytes),
          dayNumber: entries.readUInt16BE(at + keyBytes + speakerBytes),
        };
      });
    },
  };
}
